/** What retention deletes from the email log. $1 is the maximum number of rows. */

const KEPT_DAYS = 90

export const SWEEP_EMAIL_LOG = `delete from notification_email_log where ctid = any (array(
  select l.ctid from notification_email_log l where l.created_at < now() - interval '${KEPT_DAYS} days'
  order by l.created_at limit $1 for update skip locked))`
