use std::fs;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use symbiosis_base::Instant;
use symbiosis_run::FlowSample;

use super::*;
use crate::sample::{flow, link, outcome};

/// Two flows, one with gauges (one of them named like a column), and a link.
fn example() -> Outcome {
    let sample = |ms, cwnd_packets, gauges: &[(&'static str, f64)]| FlowSample {
        at: Instant::from_millis(ms),
        cwnd_packets,
        in_flight_packets: cwnd_packets - 1.0,
        srtt_ms: 60.125,
        delivered_bytes: ms * 1500,
        retransmissions: ms / 20,
        timeouts: 1,
        gauges: gauges.to_vec(),
    };
    let mut example = outcome(1, vec![flow("a, b", "reno"), flow("symbiosis", "symbiosis")], vec![link("bottleneck")]);
    example.flow_traces = vec![
        vec![sample(10, 0.1 + 0.2, &[]), sample(20, 4.0, &[])],
        vec![sample(10, 2.0, &[("gamma", 0.9)]), sample(20, 3.0, &[("gamma", 0.8), ("srtt_ms", 5.0)])],
    ];
    example.link_traces =
        vec![vec![symbiosis_path::LinkSample { at: Instant::from_millis(10), queue_packets: 7, drops: 2, bytes_begun: 1 << 40 }]];
    example
}

/// Every row of a file, each cell as text.
fn read(path: &Path) -> Vec<String> {
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    assert_eq!(reader.metadata().file_metadata().created_by(), Some("symbiosis"));
    let cell = |(name, field): (&String, &Field)| match field {
        Field::Null => format!("{name}=null"),
        Field::Double(value) => format!("{name}={value}"),
        Field::Long(value) => format!("{name}={value}i"),
        Field::Str(value) => format!("{name}={value:?}"),
        other => panic!("{other:?}"),
    };
    reader.get_row_iter(None).unwrap().map(|row| row.unwrap().get_column_iter().map(cell).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn parquet_reads_back_as_written() {
    let dir = tempfile::tempdir().unwrap();
    let written = write_traces(dir.path(), &example(), false).unwrap();
    assert_eq!(written, [dir.path().join("flows.parquet"), dir.path().join("links.parquet")]);
    insta::assert_snapshot!(read(&written[0]).join("\n"), @r#"
    time_s=0.01 flow="a, b" cwnd_packets=0.30000000000000004 in_flight_packets=-0.7 srtt_ms=60.125 delivered_bytes=15000i retransmissions=0i timeouts=1i gamma=null gauge_srtt_ms=null
    time_s=0.02 flow="a, b" cwnd_packets=4 in_flight_packets=3 srtt_ms=60.125 delivered_bytes=30000i retransmissions=1i timeouts=1i gamma=null gauge_srtt_ms=null
    time_s=0.01 flow="symbiosis" cwnd_packets=2 in_flight_packets=1 srtt_ms=60.125 delivered_bytes=15000i retransmissions=0i timeouts=1i gamma=0.9 gauge_srtt_ms=null
    time_s=0.02 flow="symbiosis" cwnd_packets=3 in_flight_packets=2 srtt_ms=60.125 delivered_bytes=30000i retransmissions=1i timeouts=1i gamma=0.8 gauge_srtt_ms=5
    "#);
    insta::assert_snapshot!(read(&written[1]).join("\n"), @r#"time_s=0.01 link="bottleneck" queue_packets=7i drops=2i bytes_begun=1099511627776i"#);
}

#[test]
fn csv_reads_back_as_written() {
    let dir = tempfile::tempdir().unwrap();
    write_traces(dir.path(), &example(), true).unwrap();
    insta::assert_snapshot!(fs::read_to_string(dir.path().join("flows.csv")).unwrap(), @r#"
    time_s,flow,cwnd_packets,in_flight_packets,srtt_ms,delivered_bytes,retransmissions,timeouts,gamma,gauge_srtt_ms
    0.01,"a, b",0.30000000000000004,-0.7,60.125,15000,0,1,,
    0.02,"a, b",4,3,60.125,30000,1,1,,
    0.01,symbiosis,2,1,60.125,15000,0,1,0.9,
    0.02,symbiosis,3,2,60.125,30000,1,1,0.8,5
    "#);
    insta::assert_snapshot!(fs::read_to_string(dir.path().join("links.csv")).unwrap(), @r#"
    time_s,link,queue_packets,drops,bytes_begun
    0.01,bottleneck,7,2,1099511627776
    "#);
}

#[test]
fn same_outcome_same_bytes() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (first, second) in
        write_traces(one.path(), &example(), true).unwrap().iter().zip(write_traces(two.path(), &example(), true).unwrap())
    {
        assert_eq!(fs::read(first).unwrap(), fs::read(second).unwrap(), "{}", first.display());
    }
}

#[test]
fn no_samples_give_empty_tables() {
    let dir = tempfile::tempdir().unwrap();
    let written = write_traces(dir.path(), &outcome(1, vec![], vec![]), true).unwrap();
    assert_eq!(read(&written[0]), Vec::<String>::new());
    assert_eq!(fs::read_to_string(&written[3]).unwrap(), "time_s,link,queue_packets,drops,bytes_begun\n");
}
