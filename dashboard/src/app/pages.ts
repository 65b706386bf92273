/** Every page: where it is, what it is called, and the part that is loaded for it. The rail and the palette are made of this. */
import type { Scope } from '@carillon/contract'
import {
  Activity,
  Ban,
  CalendarClock,
  Code,
  Database,
  KeyRound,
  LayoutDashboard,
  ListOrdered,
  type LucideIcon,
  MailOpen,
  Mails,
  MailWarning,
  Plug,
  ScrollText,
  Settings,
  Shapes,
  TriangleAlert,
  Users,
  UsersRound,
  Waypoints,
  Webhook,
  Zap,
} from 'lucide-react'
import type { ComponentType } from 'react'

export interface Page {
  path: string
  title: string
  load(): Promise<{ default: ComponentType }>
  /** What one must be allowed to read for it to be of any use. */
  scope?: Scope
  /** In the rail, if it stands there: its group, its picture, and the letter that follows g. */
  rail?: { group: RailGroup; icon: LucideIcon; letter?: string; badge?: 'dead_letters' | 'system_events' }
  /** Under which page of the rail it belongs, for breadcrumbs. */
  parent?: string
}

export const RAIL_GROUPS = ['watch', 'content', 'delivery', 'oversight'] as const
export type RailGroup = (typeof RAIL_GROUPS)[number]

export const PAGES: Page[] = [
  {
    path: '/',
    title: 'Overview',
    load: () => import('../pages/overview/overview-page.tsx'),
    scope: 'metrics:read',
    rail: { group: 'watch', icon: LayoutDashboard, letter: 'o' },
  },
  {
    path: '/activity',
    title: 'Activity',
    load: () => import('../pages/activity/activity-page.tsx'),
    scope: 'records:read',
    rail: { group: 'watch', icon: Activity, letter: 'a' },
  },
  {
    path: '/activity/$id',
    title: 'Notification',
    load: () => import('../pages/record/record-page.tsx'),
    scope: 'records:read',
    parent: '/activity',
  },
  {
    path: '/send',
    title: 'Send',
    load: () => import('../pages/send/send-page.tsx'),
    scope: 'intents:write',
    parent: '/activity',
  },
  {
    path: '/events',
    title: 'Events',
    load: () => import('../pages/events/events-page.tsx'),
    scope: 'events:read',
    rail: { group: 'watch', icon: Waypoints, letter: 'e' },
  },
  {
    path: '/events/$id',
    title: 'Event',
    load: () => import('../pages/events/event-page.tsx'),
    scope: 'events:read',
    parent: '/events',
  },
  {
    path: '/people',
    title: 'People',
    load: () => import('../pages/people/people-page.tsx'),
    scope: 'users:read',
    rail: { group: 'watch', icon: Users, letter: 'p' },
  },
  {
    path: '/people/$id',
    title: 'Person',
    load: () => import('../pages/people/person-page.tsx'),
    scope: 'users:read',
    parent: '/people',
  },
  {
    path: '/dead-letters',
    title: 'Dead letters',
    load: () => import('../pages/dead-letters/dead-letters-page.tsx'),
    scope: 'dead_letters:read',
    rail: { group: 'watch', icon: MailWarning, letter: 'd', badge: 'dead_letters' },
  },
  {
    path: '/dead-letters/$id',
    title: 'Dead letter',
    load: () => import('../pages/dead-letters/dead-letter-page.tsx'),
    scope: 'dead_letters:read',
    parent: '/dead-letters',
  },
  {
    path: '/captured',
    title: 'Captured messages',
    load: () => import('../pages/captured/captured-page.tsx'),
    scope: 'captured_messages:read',
    rail: { group: 'watch', icon: MailOpen, letter: 'c' },
  },
  {
    path: '/templates',
    title: 'Templates',
    load: () => import('../pages/templates/templates-page.tsx'),
    scope: 'templates:read',
    rail: { group: 'content', icon: Mails, letter: 't' },
  },
  {
    path: '/templates/$name/$channel/$locale',
    title: 'Template',
    load: () => import('../pages/templates/template-page.tsx'),
    scope: 'templates:read',
    parent: '/templates',
  },
  {
    path: '/template-parts',
    title: 'Layouts and partials',
    load: () => import('../pages/template-parts/template-parts-page.tsx'),
    scope: 'templates:read',
    parent: '/templates',
  },
  {
    path: '/types',
    title: 'Types',
    load: () => import('../pages/types/types-page.tsx'),
    scope: 'types:read',
    rail: { group: 'content', icon: Shapes, letter: 'y' },
  },
  {
    path: '/types/$name',
    title: 'Type',
    load: () => import('../pages/types/type-page.tsx'),
    scope: 'types:read',
    parent: '/types',
  },
  {
    path: '/schedules',
    title: 'Schedules',
    load: () => import('../pages/schedules/schedules-page.tsx'),
    scope: 'schedules:read',
    rail: { group: 'content', icon: CalendarClock, letter: 's' },
  },
  {
    path: '/schedules/$id',
    title: 'Schedule',
    load: () => import('../pages/schedules/schedule-page.tsx'),
    scope: 'schedules:read',
    parent: '/schedules',
  },
  {
    path: '/triggers',
    title: 'Triggers',
    load: () => import('../pages/triggers/triggers-page.tsx'),
    scope: 'triggers:read',
    rail: { group: 'content', icon: Zap, letter: 'i' },
  },
  {
    path: '/triggers/$id',
    title: 'Trigger',
    load: () => import('../pages/triggers/trigger-page.tsx'),
    parent: '/triggers',
  },
  {
    path: '/scripts',
    title: 'Scripts',
    load: () => import('../pages/scripts/scripts-page.tsx'),
    scope: 'scripts:read',
    rail: { group: 'content', icon: Code, letter: 'x' },
  },
  {
    path: '/scripts/$id',
    title: 'Script',
    load: () => import('../pages/scripts/script-page.tsx'),
    parent: '/scripts',
  },
  {
    path: '/kv',
    title: 'KV',
    load: () => import('../pages/kv/kv-page.tsx'),
    scope: 'kv:read',
    rail: { group: 'content', icon: Database, letter: 'b' },
  },
  {
    path: '/kv/$collection',
    title: 'Collection',
    load: () => import('../pages/kv/collection-page.tsx'),
    parent: '/kv',
  },
  {
    path: '/providers',
    title: 'Providers',
    load: () => import('../pages/providers/providers-page.tsx'),
    scope: 'providers:read',
    rail: { group: 'delivery', icon: Plug, letter: 'v' },
  },
  {
    path: '/providers/$id',
    title: 'Provider',
    load: () => import('../pages/providers/provider-page.tsx'),
    parent: '/providers',
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    load: () => import('../pages/webhooks/webhooks-page.tsx'),
    scope: 'webhooks:read',
    rail: { group: 'delivery', icon: Webhook, letter: 'w' },
  },
  {
    path: '/webhooks/$id',
    title: 'Webhook',
    load: () => import('../pages/webhooks/webhook-page.tsx'),
    parent: '/webhooks',
  },
  {
    path: '/event-consumers',
    title: 'Event consumers',
    load: () => import('../pages/event-consumers/event-consumers-page.tsx'),
    scope: 'events:read',
    rail: { group: 'delivery', icon: ListOrdered, letter: 'r' },
  },
  {
    path: '/suppressions',
    title: 'Suppressions',
    load: () => import('../pages/suppressions/suppressions-page.tsx'),
    scope: 'suppressions:read',
    rail: { group: 'delivery', icon: Ban },
  },
  {
    path: '/system-events',
    title: 'System events',
    load: () => import('../pages/system-events/system-events-page.tsx'),
    scope: 'system_events:read',
    rail: { group: 'oversight', icon: TriangleAlert, letter: 'n', badge: 'system_events' },
  },
  {
    path: '/audit-log',
    title: 'Audit log',
    load: () => import('../pages/audit-log/audit-log-page.tsx'),
    scope: 'audit_logs:read',
    rail: { group: 'oversight', icon: ScrollText, letter: 'l' },
  },
  {
    path: '/api-keys',
    title: 'API keys',
    load: () => import('../pages/api-keys/api-keys-page.tsx'),
    scope: 'api_keys:read',
    rail: { group: 'oversight', icon: KeyRound, letter: 'k' },
  },
  {
    path: '/members',
    title: 'Members',
    load: () => import('../pages/members/members-page.tsx'),
    scope: 'api_keys:read',
    rail: { group: 'oversight', icon: UsersRound, letter: 'm' },
  },
  {
    path: '/settings',
    title: 'Settings',
    load: () => import('../pages/settings/settings-page.tsx'),
    scope: 'tenant:read',
    rail: { group: 'oversight', icon: Settings, letter: ',' },
  },
  {
    path: '/account',
    title: 'Your account',
    load: () => import('../pages/account/account-page.tsx'),
  },
  {
    path: '/providers/new',
    title: 'Add a provider',
    load: () => import('../pages/providers/new-provider-page.tsx'),
    parent: '/providers',
  },
  {
    path: '/scripts/new',
    title: 'Write a script',
    load: () => import('../pages/scripts/new-script-page.tsx'),
    parent: '/scripts',
  },
  {
    path: '/template-parts/$kind/$name',
    title: 'Layout or partial',
    load: () => import('../pages/template-parts/template-part-page.tsx'),
    scope: 'templates:read',
    parent: '/template-parts',
  },
  {
    path: '/templates/$name',
    title: 'Template',
    load: () => import('../pages/templates/template-name-page.tsx'),
    scope: 'templates:read',
    parent: '/templates',
  },
  {
    path: '/triggers/new',
    title: 'Add a trigger',
    load: () => import('../pages/triggers/new-trigger-page.tsx'),
    parent: '/triggers',
  },
  {
    path: '/webhooks/new',
    title: 'Add a webhook',
    load: () => import('../pages/webhooks/new-webhook-page.tsx'),
    parent: '/webhooks',
  },
]

export const pageAt = (path: string): Page | undefined => PAGES.find(page => page.path === path)
