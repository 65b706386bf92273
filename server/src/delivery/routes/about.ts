/** What a claimed route is about, as the gates and the mail need it. Routes that are about nothing cost one comparison. */
import type { About } from '../../content/messages/message-route.ts'

export interface RouteAbout extends About {
  /** The topic, or that of the thread, is private and the person is none of its members; or it was deleted. */
  is_hidden: boolean
  /** The tenant has a service of its own that says who may see what. */
  is_checked: boolean
  /** The person's own choice about the thread; null without one. */
  subscribed: boolean | null
  /** It reaches people who have left the thread. */
  passes_mute: boolean
}

const TOPIC = `coalesce(rec.topic, (select h.topic from threads h
      where h.tenant_id = c.tenant_id and h.kind = rec.thread_kind and h.id = rec.thread_id))`

const IS_FOR_MEMBERS = `rec.event_id is not null and exists (select from domain_events e
      where e.tenant_id = c.tenant_id and e.event_id = rec.event_id and not e.is_public)`

/** For a route `c` of a record `rec`. The topic of an event is missing only once it was deleted. */
export const ROUTE_ABOUT = `case when rec.thread_id is not null or rec.event_id is not null or rec.topic is not null then (
      select json_build_object(
        'thread', case when rec.thread_id is not null then json_build_object('kind', rec.thread_kind, 'id', rec.thread_id) end,
        'topic', place.topic, 'event_id', rec.event_id, 'passes_mute', rec.passes_mute,
        'is_hidden', c.user_id is not null and place.topic is not null and (coalesce((
          select (t.visibility = 'private' or ${IS_FOR_MEMBERS}) and not exists (select from topic_members m
            where m.tenant_id = c.tenant_id and m.topic = place.topic and m.user_id = c.user_id)
          from topics t where t.tenant_id = c.tenant_id and t.topic = place.topic), rec.event_id is not null)
          or exists (select from threads h
            where h.tenant_id = c.tenant_id and h.kind = rec.thread_kind and h.id = rec.thread_id and h.topic <> place.topic
              and (select t.visibility from topics t where t.tenant_id = c.tenant_id and t.topic = h.topic) = 'private'
              and not exists (select from topic_members m
                where m.tenant_id = c.tenant_id and m.topic = h.topic and m.user_id = c.user_id))),
        'is_checked', c.user_id is not null and exists (select from visibility_checks v where v.tenant_id = c.tenant_id),
        'subscribed', (select s.subscribed from notification_threads s where s.tenant_id = c.tenant_id
          and s.user_id = c.user_id and s.thread_kind = rec.thread_kind and s.thread_id = rec.thread_id),
        'reply_domain', (select s.reply_domain from tenant_settings s where s.tenant_id = c.tenant_id))
      from (select ${TOPIC} as topic offset 0) place
    ) end as about`
