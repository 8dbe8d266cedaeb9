use super::*;

fn read(text: &[u8]) -> Result<usize> {
    answer(&mut BufReader::new(text))
}

#[test]
fn an_answer_is_read_to_its_last_chunk() {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";
    let whole = [head.as_bytes(), b"1\r\n\x1f\r\n3\r\n\x8bab\r\n0\r\n\r\n"].concat();
    assert_eq!(read(&whole), Ok(4));
    assert!(read(&whole[..whole.len() - 4]).is_err());
    let plain = [head.as_bytes(), b"3\r\nabc\r\n0\r\n\r\n"].concat();
    assert!(read(&plain).is_err_and(|said| said.contains("no gzip")));
    let said = read(b"HTTP/1.1 404 Not Found\r\n\r\n");
    assert!(said.is_err_and(|said| said.contains("404")));
}

#[test]
fn answers_of_different_sizes_are_an_error() {
    assert_eq!(same(None, Some(3)), Ok(Some(3)));
    assert_eq!(same(Some(3), None), Ok(Some(3)));
    assert!(same(Some(3), Some(4)).is_err());
}
