use super::*;
use crate::publish::Stream as _;
use proptest::prelude::*;
use std::cell::Cell;
use std::io::Cursor;

mod bundles_for_tests;
mod limits_tests;

use bundles_for_tests::*;

proptest! {
    #[test]
    fn nothing_changes_but_libc(
        others in prop::collection::vec(item(), 0..12),
        libc in prop::collection::vec(any::<u8>(), 0..4000),
        is_pax: bool,
        is_gzip: bool,
        places in prop::collection::vec(any::<prop::sample::Index>(), 3),
        tail in 0usize..9,
    ) {
        let mut items = others;
        let libc = [b"old", &libc[..]].concat();
        let path = if is_pax { "s/swift-linux-musl/m/usr/lib/libc.a" } else { LIBC };
        let libc = match is_pax {
            true => Pax(format!("{TOP}/{path}"), libc),
            false => file(path, libc),
        };
        let root = if is_pax { "m" } else { "musl.sdk/x86_64" };
        // The files in any order, between the others.
        for (item, place) in [file("info.json", INFO), sdk(&[(TRIPLE, root)]), libc].into_iter().zip(places) {
            items.insert(place.index(items.len() + 1), item);
        }
        let whole = |items: &[Item]| [tar(items), vec![0; tail * 512]].concat();
        let (old, new) = (whole(&items), whole(&after(&items)));
        let result = if is_gzip {
            let result = patched(&gzip(&old)).unwrap().unwrap();
            prop_assert_eq!(&result[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
            gunzip(&result)
        } else {
            patched(&old).unwrap().unwrap()
        };
        prop_assert!(result == new);
        prop_assert!(patched(&result).unwrap().is_none());
    }

    #[test]
    fn broken_ones_are_errors(at: prop::sample::Index, bit in 0u8..8, cut: prop::sample::Index) {
        let whole = gzip(&tar(&with([file(LIBC, b"old"), file("s/x", [7; 3000])])));
        let cut = cut.index(whole.len());
        prop_assert!(patched(&whole[..cut]).is_err());
        // gzip's checksum covers every bit of the data; a few bits between the data and the checksum have no meaning.
        let mut bytes = whole.clone();
        let at = 10 + at.index(whole.len() - 10);
        bytes[at] ^= 1 << bit;
        let same = |new: Option<Vec<u8>>| new == patched(&whole).unwrap();
        prop_assert!(patched(&bytes).map_or(true, same));
        // Without compression, a changed byte may give another valid tar archive.
        let mut bytes = gunzip(&whole);
        let at = at % bytes.len();
        bytes[at] ^= 1 << bit;
        let _ = patched(&bytes);
    }
}

#[test]
fn what_tar_has_no_word_for_in_rust_is_passed_through() {
    // Padding that is not zero, a volume's label, a file with holes whose map takes another block, global records.
    let mut label = header(tar::EntryType::new(b'V'), 0);
    label.set_path("label").unwrap();
    label.set_cksum();
    let mut sparse = header(tar::EntryType::GNUSparse, 5);
    sparse.set_path(format!("{TOP}/sparse")).unwrap();
    sparse.as_mut_bytes()[482] = 1;
    sparse.set_cksum();
    let mut global = header(tar::EntryType::XGlobalHeader, 16);
    global.set_path("pax_global_header").unwrap();
    global.set_cksum();
    let pad = |bytes: &[u8]| [bytes, &vec![b'~'; 512 - bytes.len()][..]].concat();
    let raws = [
        global.as_bytes().to_vec(),
        pad(b"16 comment=a:b:\n"),
        label.as_bytes().to_vec(),
        sparse.as_bytes().to_vec(),
        vec![0; 512],
        pad(b"bytes"),
    ];
    let mut items: Vec<Item> = raws.into_iter().map(Raw).collect();
    items.extend(with([file(LIBC, b"old one")]));
    items.push(Raw(header(tar::EntryType::new(b'V'), 0)
        .as_bytes()
        .to_vec()));
    let Some(Raw(last)) = items.last_mut() else {
        unreachable!()
    };
    // A checksum as old programs computed it, of signed bytes.
    last[0] = 0xff;
    last[148..156].fill(b' ');
    let sum: i64 = last.iter().map(|b| i64::from(*b as i8)).sum();
    last[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let new = patched(&tar(&items)).unwrap().unwrap();
    assert!(new == tar(&after(&items)));
}

#[test]
fn a_name_that_a_header_cuts_behind_a_slash_is_still_a_files() {
    let folder = format!("{TOP}/{}/", "f".repeat(98 - TOP.len()));
    assert_eq!(folder.len(), 100);
    let items = with([file(LIBC, b"old"), File(format!("{folder}x"), vec![7; 9])]);
    let old = tar(&items);
    assert!(patched(&old).unwrap().unwrap() == tar(&after(&items)));
    // Without its longer name this entry is a directory, and directories have no data.
    let mut alone = header(tar::EntryType::Regular, 9);
    alone.as_mut_bytes()[..100].copy_from_slice(folder.as_bytes());
    alone.set_cksum();
    let found = error(&with([Raw(alone.as_bytes().to_vec())]));
    assert!(
        found.contains("a directory or device with 9 bytes of data"),
        "{found}"
    );
}

#[test]
fn several_members_of_gzip_are_one_bundle() {
    let whole = tar(&with([file(LIBC, b"old")]));
    let (one, two) = whole.split_at(1000);
    let new = patched(&[gzip(one), gzip(two)].concat()).unwrap().unwrap();
    assert!(gunzip(&new) == tar(&after(&with([file(LIBC, b"old")]))));
}

#[test]
fn every_target_counts_and_each_libc_once() {
    let root = "s/swift-linux-musl";
    let items = vec![
        file(&format!("{root}/a/usr/lib/libc.a"), b"old a"),
        Hard(
            format!("{TOP}/{root}/b/usr/lib/libc.a"),
            format!("./{TOP}/{root}/a/usr/lib/libc.a"),
        ),
        Symlink(format!("{TOP}/{root}/c"), "./d/../a".into()),
        file(&format!("{root}/e/usr/lib/libc.a"), b"armv7"),
        file(&format!("{root}/other/libc.a"), b"nobody's"),
        sdk(&[
            ("x86_64-swift-linux-musl", "a"),
            ("x86_64-b-linux-musl", "b"),
            ("x86_64-c-linux-musl", "c"),
            ("armv7-swift-linux-musleabihf", "e"),
            ("wasm32-unknown-wasip1", "w"),
        ]),
        file("info.json", INFO),
    ];
    let bundle = tar(&items);
    let open = move || Ok(Box::new(Cursor::new(bundle.clone())) as Box<dyn Read>);
    let planned = plan(&open, &editor, LIMITS, &|_| ()).unwrap();
    let found: Vec<_> = planned
        .archives
        .iter()
        .map(|a| {
            let triples: Vec<_> = a.targets.iter().map(|t| t.triple.as_str()).collect();
            (
                a.member.as_str(),
                triples.join(" "),
                a.plan.is_some(),
                a.other_names,
            )
        })
        .collect();
    let member = |name: &str| format!("{TOP}/{root}/{name}/usr/lib/libc.a");
    let shared = "x86_64-b-linux-musl x86_64-c-linux-musl x86_64-swift-linux-musl";
    assert_eq!(
        found,
        [
            (
                member("e").as_str(),
                "armv7-swift-linux-musleabihf".into(),
                false,
                0
            ),
            (member("a").as_str(), shared.into(), true, 1),
        ]
    );
    assert_eq!(
        planned.archives[0].reason.as_deref(),
        Some("no payload for armv7")
    );
    assert_eq!(planned.alone[0].target.triple, "wasm32-unknown-wasip1");
    assert_eq!(planned.alone[0].reason, "it is not for musl");
    assert_eq!(planned.changes.len(), 1);
}

#[test]
fn files_under_other_names_are_found_by_another_pass() {
    let real = "s/swift-linux-musl/musl.sdk/x86_64/lib/libc-1.2.5.a";
    let items = with([
        file(real, b"old and real"),
        Symlink(format!("{TOP}/{LIBC}"), "../../lib/libc-1.2.5.a".into()),
    ]);
    let mut expected = items.clone();
    expected[3] = file(real, edited(b"old and real"));
    assert!(patched(&tar(&items)).unwrap().unwrap() == tar(&expected));
    let passes = Cell::new(0);
    let bundle = tar(&with([file(LIBC, b"old")]));
    let open = || {
        passes.set(passes.get() + 1);
        Ok(Box::new(Cursor::new(bundle.clone())) as Box<dyn Read>)
    };
    plan(&open, &editor, LIMITS, &|_| ()).unwrap();
    assert_eq!(passes.get(), 1);
}

#[test]
fn what_is_wrong_is_said_with_names() {
    let old = || file(LIBC, b"old");
    let rooted = |root: &str| vec![file("info.json", INFO), sdk(&[(TRIPLE, root)]), old()];
    let path = |variant: &str| {
        let info = INFO.replace("s/swift-linux-musl", variant);
        vec![
            file("info.json", info),
            sdk(&[(TRIPLE, "musl.sdk/x86_64")]),
            old(),
        ]
    };
    let link = |to: &str| with([Symlink(format!("{TOP}/{LIBC}"), to.into())]);
    for (items, why) in [
        (
            small(),
            "there is no file s.artifactbundle/s/swift-linux-musl/musl.sdk/x86_64/usr/lib/libc.a",
        ),
        (
            rooted("../../../x"),
            "(member s.artifactbundle/s/swift-linux-musl/swift-sdk.json)",
        ),
        (rooted("../../../x"), "leads out of the bundle"),
        (rooted("/usr"), "which is absolute"),
        (path("../other"), "the path `../other` leads out"),
        (
            path("s/elsewhere"),
            "there is no file s.artifactbundle/s/elsewhere/swift-sdk.json",
        ),
        (link("../../../../../../../../x"), "leads out of the bundle"),
        (link("/etc/passwd"), "to `/etc/passwd`"),
        (link("libc.a"), "more than 40 links"),
        (link("nothing.a"), "there is no file"),
        (with([old(), old()]), "is there more than once"),
        (
            with([old(), Symlink(format!("{TOP}/{LIBC}"), "x".into())]),
            "is there more than once",
        ),
        (
            with([Hard(format!("{TOP}/{LIBC}"), "x/y".into()), old()]),
            "is there more than once",
        ),
        (
            with([old(), file("info.json", INFO)]),
            "is there more than once",
        ),
        (
            with([file(LIBC, b"strange")]),
            "a strange shape (member free.lo, at 0x7, of s.artifactbundle/",
        ),
        (
            with([file(LIBC, b"armv7")]),
            "nothing in this bundle that brawn can patch: no payload for armv7",
        ),
        (vec![file("info.json", "{}"), old()], "JSON: missing field"),
        (
            vec![file("info.json", INFO.replace("swiftSDK", "executable"))],
            "no target of a Swift SDK",
        ),
        (vec![file("else.json", "{}"), old()], "it has no info.json"),
        (vec![], "it has no info.json"),
        (with([Raw(vec![1; 512])]), "no header of a tar archive"),
        (with([file(LIBC, [b'o'; (1 << 20) + 1])]), "is too large"),
        (
            with([file("s/swift-sdk.json", [b' '; 5000])]),
            "a file of 5000 bytes",
        ),
    ] {
        let found = error(&items);
        assert!(found.contains(why), "{why}: {found}");
    }
}

#[test]
fn a_bundle_that_was_written_wrong_is_not_published() {
    let items = with([file(LIBC, b"old"), file("s/x", [7; 700])]);
    let bundle = tar(&items);
    let source = bundle.clone();
    let open = move || Ok(Box::new(Cursor::new(source.clone())) as Box<dyn Read>);
    let planned = plan(&open, &editor, LIMITS, &|_| ()).unwrap();
    let mut repack = planned.repack(&open, &editor, LIMITS, &|_| ());
    let good = tar(&after(&items));
    repack.check(&mut &good[..]).unwrap();
    let mut others = vec![with([file(LIBC, b"new"), file("s/x", [7; 700])])];
    others.push(with([file(LIBC, edited(b"old")), file("s/x", [8; 700])]));
    others.push(with([file(LIBC, edited(b"old")), file("s/y", [7; 700])]));
    others.push(with([file(LIBC, edited(b"old"))]));
    others.push(items.clone());
    let mut others: Vec<_> = others.iter().map(|items| tar(items)).collect();
    others.push(gzip(&good));
    others.push([&good[..], &[0; 512]].concat());
    // Another owner of libc.a, with a checksum that fits.
    let at = good.len() - 1024 - 1536 - 1024;
    let mut owner = good.clone();
    let mut header = tar::Header::from_byte_slice(&owner[at..at + 512]).clone();
    header.set_uid(1001);
    header.set_cksum();
    owner[at..at + 512].copy_from_slice(header.as_bytes());
    others.push(owner);
    for other in others {
        let error = repack.check(&mut &other[..]).unwrap_err().to_string();
        assert!(
            error.contains("the new bundle is not as planned"),
            "{error}"
        );
    }
}
