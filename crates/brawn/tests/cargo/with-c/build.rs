fn main() {
    cc::Build::new().file("src/own.c").compile("own");
    println!("cargo::rerun-if-changed=src/own.c");
}
