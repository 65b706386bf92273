-- The relations that every tenant has, in the order in which they decide, with the reason that people read. A function
-- and not rows, so that a new version can change them; a row of the tenant with the same name wins.
create or replace function carillon.builtin_relations()
returns table (name text, priority integer, reason text) language sql immutable as $$
  values
    ('mention', 10, 'mention'),
    ('assignee', 20, 'assignment'),
    ('reviewer', 30, 'review_requested'),
    ('author', 40, 'author'),
    ('commenter', 50, 'commenter'),
    ('subscribed', 60, 'subscribed'),
    ('watching', 70, 'watching'),
    ('owner', 80, 'repo_admin_action')
$$;
