-- Up Migration

-- How long deliveries took, as a histogram: percentiles cannot be summed, but counts by bucket can. Only the buckets that
-- have any, each with its count; null in figures that were counted before. The series of metrics says what a bucket is.
alter table notification_metrics add column delivery_buckets smallint[], add column delivery_counts integer[],
  add constraint notification_metrics_histogram_whole
    check (cardinality(delivery_buckets) is not distinct from cardinality(delivery_counts)) not valid;

-- Down Migration

alter table notification_metrics drop column delivery_buckets, drop column delivery_counts;
