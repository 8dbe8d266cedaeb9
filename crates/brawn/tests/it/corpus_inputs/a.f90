program rows
  real*8 :: total
  integer i
  total = 0
  do i = 1, 10
    total = total + i ; if (total > 5) goto 10
  end do
10 print *, total
end program
