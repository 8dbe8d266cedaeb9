use super::*;

fn look(moments: &mut Moments, ms: u64, kib: u64) {
    let memory = Memory {
        rss: kib << 10,
        pss: kib << 10,
    };
    moments.add(Duration::from_millis(ms), memory);
}

#[test]
fn a_rest_costs_no_look_at_the_work_before_it() {
    let mut moments = Moments::default();
    for ms in 0..300 {
        look(&mut moments, ms * 2, 100 + ms % 7);
    }
    for ms in 300..6000 {
        look(&mut moments, ms * 2, 50);
    }
    let work = moments.all.iter().filter(|m| m.at_us < 600_000);
    assert_eq!(work.count(), 300);
    assert_eq!(moments.step, STEP);
    assert!(moments.all.len() <= MOST);
    // Where the rest begins and ends is still there.
    assert_eq!(moments.all[300].at_us, 600_000);
    assert_eq!(moments.all.last().map(|m| m.at_us), Some(11_998_000));
}

#[test]
fn looks_that_all_differ_become_rarer() {
    let mut moments = Moments::default();
    let mut ms = 0;
    while ms < 8000 {
        look(&mut moments, ms, ms + 1);
        ms += u64::try_from(moments.step.as_millis()).expect("short");
    }
    assert!(moments.all.len() <= MOST, "{}", moments.all.len());
    assert_eq!(moments.step, STEP * 8);
    assert_eq!(moments.all[0].at_us, 0);
}
