/** Templates: what a notification says on a channel in a language. */
import type {
  Channel,
  Page,
  Preview,
  PreviewSavedTemplate,
  PreviewTemplate,
  PublishTemplate,
  RollBackTemplate,
  Template,
  TemplateChanges,
  TemplateInput,
  TemplateQuery,
  TemplateSummary,
  TemplateVersion,
  TemplateVersionDetail,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { everyRow, type PagePosition, pagedList } from './pages.ts'
import { path } from './path.ts'

/** Which template: one per name, channel and language. */
export interface TemplateKey {
  name: string
  channel: Channel
  locale: string
}

const pathOf = ({ name, channel, locale }: TemplateKey) => path`/v1/templates/${name}/${channel}/${locale}`

export function createTemplates(send: Send) {
  const versions = async (
    key: TemplateKey,
    position: PagePosition = {},
    options?: CallOptions,
  ): Promise<Page<TemplateVersion>> =>
    send({ method: 'GET', path: `${pathOf(key)}/versions`, query: position, ...options })

  return {
    ...pagedList<TemplateSummary, Partial<TemplateQuery>>(send, '/v1/templates'),

    /** The draft. */
    async get(key: TemplateKey, options?: CallOptions): Promise<Template> {
      return send({ method: 'GET', path: pathOf(key), ...options })
    },

    /** Saves the draft; nothing uses it until it is published. */
    async put(key: TemplateKey, template: TemplateInput, options?: CallOptions): Promise<Template> {
      return send({ method: 'PUT', path: pathOf(key), body: template, ...options })
    },

    async update(key: TemplateKey, changes: TemplateChanges, options?: CallOptions): Promise<Template> {
      return send({ method: 'PATCH', path: pathOf(key), body: changes, ...options })
    },

    async delete(key: TemplateKey, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: pathOf(key), ...options })
    },

    async publish(
      key: TemplateKey,
      how: PublishTemplate = {},
      options?: CallOptions,
    ): Promise<TemplateVersion> {
      return send({ method: 'POST', path: `${pathOf(key)}/publish`, body: how, ...options })
    },

    /** Publishes an older version again, under a new number. */
    async rollBack(key: TemplateKey, to: RollBackTemplate, options?: CallOptions): Promise<TemplateVersion> {
      return send({ method: 'POST', path: `${pathOf(key)}/rollback`, body: to, ...options })
    },

    versions,

    allVersions(key: TemplateKey, position?: PagePosition, options?: CallOptions) {
      return everyRow<TemplateVersion>(next => versions(key, next, options), position)
    },

    async version(key: TemplateKey, version: number, options?: CallOptions): Promise<TemplateVersionDetail> {
      return send({ method: 'GET', path: `${pathOf(key)}/versions/${version}`, ...options })
    },

    /** Renders the draft or a published version. */
    async preview(
      key: TemplateKey,
      what: PreviewSavedTemplate = {},
      options?: CallOptions,
    ): Promise<Preview> {
      return send({ method: 'POST', path: `${pathOf(key)}/preview`, body: what, ...options })
    },

    /** Renders a template without saving it. */
    async previewText(what: PreviewTemplate, options?: CallOptions): Promise<Preview> {
      return send({ method: 'POST', path: '/v1/templates/preview', body: what, ...options })
    },
  }
}
