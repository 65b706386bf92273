/** What a template consists of on its channel. */
import type { Channel, Template, TemplateInput, TemplateVersionDetail } from '@carillon/contract'
import type { CodeEditorProps } from '../../ui/code-mirror.tsx'

/** As in `Template`, without what says how it stands. */
export type Content = Pick<Template, 'subject' | 'title' | 'body' | 'text' | 'layout' | 'variables'>

export interface TextField {
  name: 'subject' | 'title' | 'body' | 'text'
  label: string
  language: CodeEditorProps['language']
  isSingleLine?: boolean
  isOptional?: boolean
  help?: string
}

const SUBJECT: TextField = { name: 'subject', label: 'Subject', language: 'liquid', isSingleLine: true }
const TITLE: TextField = { name: 'title', label: 'Title', language: 'liquid', isSingleLine: true }
const TEXT_BODY: TextField = { name: 'body', label: 'Body', language: 'liquid' }
const MAIL: TextField[] = [
  SUBJECT,
  {
    name: 'body',
    label: 'Body',
    language: 'liquid-html',
    help: 'HTML. Styles in <style> are inlined when it is published; the layout goes around it.',
  },
  {
    name: 'text',
    label: 'Text version',
    language: 'liquid',
    isOptional: true,
    help: 'For readers that show no HTML.',
  },
]

export function textFieldsOf(channel: Channel): TextField[] {
  if (channel === 'email') return MAIL
  return channel === 'push' || channel === 'in_app' ? [TITLE, TEXT_BODY] : [TEXT_BODY]
}

export function contentOf(from: Template | TemplateVersionDetail): Content {
  const { subject, title, body, text, layout, variables } = from
  return { subject, title, body, text, layout, variables }
}

/** What the API takes: only the fields that the channel has. */
export function toInput(channel: Channel, content: Content): TemplateInput {
  const { subject, title, body, text, layout, variables } = content
  return {
    body,
    variables,
    ...(channel === 'email' && { subject: subject ?? '', layout, ...(text !== null && { text }) }),
    ...((channel === 'push' || channel === 'in_app') && { title: title ?? '' }),
  }
}

export const isSame = (one: Content, other: Content): boolean =>
  JSON.stringify(ordered(one)) === JSON.stringify(ordered(other))

const ordered = ({ subject, title, body, text, layout, variables }: Content) => [
  subject,
  title,
  body,
  text,
  layout,
  variables.map(({ name, required, description, sample }) => [name, required, description, sample]),
]

/** All of it as one text, so that two versions can be compared as a whole. */
export function asText({ subject, title, body, text, layout, variables }: Content): string {
  const head = [
    subject !== null && `subject: ${subject}`,
    title !== null && `title: ${title}`,
    subject !== null && `layout: ${layout ?? 'none'}`,
    ...variables.map(
      ({ name, required, description }) =>
        `variable: ${name}${required ? '' : ' (optional)'}${description && ` – ${description}`}`,
    ),
  ].filter(Boolean)
  return [...head, '', body, ...(text === null ? [] : ['', '--- text version ---', text])].join('\n')
}

const STARTERS: Record<Channel, Content> = {
  email: starter({
    subject: 'Hello {{ name }}',
    layout: 'default',
    body: '<h1>Hello {{ name }}</h1>\n<p>Something happened that you should know.</p>\n<p><a class="button" href="{{ url }}">Look at it</a></p>\n',
  }),
  in_app: starter({ title: 'Hello {{ name }}', body: 'Something happened: {{ url }}' }),
  push: starter({ title: 'Hello {{ name }}', body: 'Something happened: {{ url }}' }),
  sms: starter({ body: '{{ branding.name }}: hello {{ name }}. {{ url }}' }),
  chat: starter({ body: 'Hello {{ name }}, something happened: {{ url }}' }),
  webhook: starter({ body: '{"text": "Hello {{ name }}", "url": "{{ url }}"}' }),
}

function starter(fields: Partial<Content> & { body: string }): Content {
  return {
    subject: null,
    title: null,
    text: null,
    layout: null,
    variables: [
      { name: 'name', required: true, description: '', sample: 'Ada' },
      { name: 'url', required: true, description: '', sample: 'https://example.com/1' },
    ],
    ...fields,
  }
}

export const starterOf = (channel: Channel): Content => STARTERS[channel]

export const templatePath = (name: string, channel: string, locale: string): string =>
  `/templates/${[name, channel, locale].map(encodeURIComponent).join('/')}`
