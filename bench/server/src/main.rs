//! A web server that compresses: axum, with tower-http's layer for gzip, both with their default settings.
//!
//! `GET /BYTES` is answered with a text of that size, which is made for each request, as pages are. The first line on
//! standard output is the address; at the end of standard input the server ends.

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::get;
use std::fmt::Write as _;
use tower_http::compression::CompressionLayer;

/// No larger answer is made.
const MOST: usize = 16 << 20;
const WORDS: [&str; 12] = [
    "order", "customer", "name", "price", "street", "paid", "sent", "open", "since", "and", "item",
    "of",
];

/// A text of `size` bytes, which another `seed` makes differ.
fn text(size: usize, seed: u64) -> String {
    let mut state = seed | 1;
    let mut text = String::new();
    while text.len() < size {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let word = |shift: u32| WORDS[(state >> shift) as usize % WORDS.len()];
        let (id, price) = (state >> 40, state >> 52);
        let _ = writeln!(
            text,
            "<li class=\"{}\"><a href=\"/{}/{id}\">{} {}</a> {price}.{:02}</li>",
            word(5),
            word(9),
            word(13),
            word(21),
            id % 100
        );
    }
    text.truncate(size);
    text
}

async fn answer(Path(size): Path<usize>) -> Result<String, StatusCode> {
    match size {
        0..=MOST => Ok(text(size, size as u64)),
        _ => Err(StatusCode::NOT_FOUND),
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    let app = Router::new()
        .route("/{size}", get(answer))
        .layer(CompressionLayer::new());
    axum::serve(listener, app).await
}
