//! Under endpoints of noq as they are: the example, with controllers of every kind.

#[path = "../examples/transfer.rs"]
#[allow(dead_code)]
mod example;

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_controller_carries_a_transfer() {
    // By windows, by delay, by a model that paces, by rate samples where there are any.
    for name in ["newreno", "cubic", "vegas", "symbiosis", "symbiosis-paper"] {
        let (mbps, _) = example::transfer(name).await.unwrap();
        assert!(mbps > 1.0, "{name} stands still: {mbps} Mbit/s");
    }
}

#[tokio::test]
async fn a_controller_that_cannot_be_had_is_an_error_that_says_why() {
    let why = |error: Box<dyn std::error::Error>| error.to_string();
    assert!(why(example::transfer("renno").await.unwrap_err()).contains("there is no controller \"renno\": there are symbiosis"));
    assert!(why(example::transfer("hcc").await.unwrap_err()).contains("a receiver that reports"));
}
