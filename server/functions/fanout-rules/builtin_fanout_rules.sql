-- The rules that every tenant has: what people in a relation get when something of a kind happens. A kind that ends with *
-- stands for all that begin like it.
create or replace function carillon.builtin_fanout_rules()
returns table (event_kind text, relation text, channels text[], passes_mute boolean) language sql immutable as $$
  with rules (kinds, all_channels, inbox_only, passing) as (values
    -- kinds; who gets inbox and mail; who gets the inbox only; who gets both even if they muted it
    ('issue_created pr_opened', 'watching', '', 'mention'),
    ('issue_comment_created pr_comment_created', 'assignee author commenter subscribed watching', '', 'mention'),
    ('issue_assigned pr_assigned', 'assignee', '', 'mention'),
    ('issue_closed issue_reopened pr_closed pr_reopened pr_merged', 'author assignee subscribed', 'watching', ''),
    ('review_requested', '', '', 'reviewer'),
    ('review_submitted', 'author', 'subscribed', ''),
    ('mentioned', '', '', 'mention'),
    ('check_failed check_fixed', '', 'author', ''),
    ('repo_archived repo_unarchived repo_visibility_changed repo_soft_deleted repo_restored repo_transfer_*', 'owner', '', '')
  )
  select k, g.relation, g.channels, g.passes_mute
  from rules r
  cross join lateral unnest(string_to_array(r.kinds, ' ')) as k
  cross join lateral (
    select relation, array['in_app', 'email'], false from unnest(string_to_array(r.all_channels, ' ')) as relation
    union all
    select relation, array['in_app'], false from unnest(string_to_array(r.inbox_only, ' ')) as relation
    union all
    select relation, array['in_app', 'email'], true from unnest(string_to_array(r.passing, ' ')) as relation
  ) as g (relation, channels, passes_mute)
$$;
