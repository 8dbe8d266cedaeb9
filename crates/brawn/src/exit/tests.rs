use super::*;

#[test]
fn help_lists_every_code_once() {
    let all = [
        Exit::Success,
        Exit::Finding,
        Exit::Usage,
        Exit::Refused,
        Exit::Malformed,
        Exit::Io,
        Exit::RestoreRefused,
        Exit::RunFailed,
        Exit::RunRefused,
        Exit::RunNotFound,
    ];
    let listed: Vec<u8> = table("")
        .lines()
        .map(|line| {
            line.trim_start()
                .split(' ')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    assert_eq!(listed, all.map(|e| e as u8));
    let document = include_str!("../../../../docs/patch.md");
    for code in listed {
        assert!(document.contains(&format!("\n| {code} | ")), "code {code}");
        assert_eq!(OF_RUN.contains(&format!("  {code}  ")), code > 100);
    }
}
