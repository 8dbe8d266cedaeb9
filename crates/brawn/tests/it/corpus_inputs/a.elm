module Main exposing (..)
import Html exposing (text)
main = text   (String.join ", " ["a","b"])
