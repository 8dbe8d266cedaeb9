//! An HTTPS service: a thread for each connection, answers deflated by zlib to tell how small they get.
//! `TLS_CERT` and `TLS_KEY` name PEM files; the first argument is the address, else 0.0.0.0:8443.

use openssl::ssl::{SslAcceptor, SslFiletype, SslMethod};
use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let file =
        |name| std::env::var(name).map_err(|_| format!("{name} is not set: it names a PEM file"));
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls_server())?;
    acceptor.set_certificate_chain_file(file("TLS_CERT")?)?;
    acceptor.set_private_key_file(file("TLS_KEY")?, SslFiletype::PEM)?;
    acceptor.check_private_key()?;
    let acceptor = Arc::new(acceptor.build());

    let address = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "0.0.0.0:8443".into());
    let listener = TcpListener::bind(&address).map_err(|e| format!("{address}: {e}"))?;
    println!("listening on {}", listener.local_addr()?);
    for stream in listener.incoming() {
        let acceptor = Arc::clone(&acceptor);
        std::thread::spawn(move || {
            if let Err(error) = stream
                .map_err(Into::into)
                .and_then(|s| answer(&acceptor, s))
            {
                eprintln!("{error}");
            }
        });
    }
    Ok(())
}

/// One request, one answer.
fn answer(acceptor: &SslAcceptor, stream: TcpStream) -> Result<(), Box<dyn Error>> {
    let mut stream = BufReader::new(acceptor.accept(stream)?);
    let mut request = String::new();
    stream.read_line(&mut request)?;
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Ok(());
        }
    }
    let text: String = (0..1000)
        .map(|n| format!("{} {n}\n", request.trim_end()))
        .collect();
    let mut deflated = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    deflated.write_all(text.as_bytes())?;
    let body = format!(
        "{} over {}; {} bytes deflated to {}\n",
        request.trim_end(),
        stream.get_ref().ssl().version_str(),
        text.len(),
        deflated.finish()?.len(),
    );
    let stream = stream.get_mut();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len(),
    )?;
    stream.shutdown()?;
    Ok(())
}
