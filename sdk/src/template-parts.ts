/** Layouts and partials that templates use. */
import type {
  PublishedPart,
  TemplatePart,
  TemplatePartChanges,
  TemplatePartInput,
  TemplatePartKind,
} from '@carillon/contract'
import type { CallOptions, Send } from './http.ts'
import { wholeList } from './pages.ts'
import { path } from './path.ts'

export function createTemplateParts(send: Send) {
  const partPath = (kind: TemplatePartKind, name: string) => path`/v1/template-parts/${kind}/${name}`
  return {
    ...wholeList<TemplatePart>(send, '/v1/template-parts'),

    async get(kind: TemplatePartKind, name: string, options?: CallOptions): Promise<TemplatePart> {
      return send({ method: 'GET', path: partPath(kind, name), ...options })
    },

    async put(
      kind: TemplatePartKind,
      name: string,
      part: TemplatePartInput,
      options?: CallOptions,
    ): Promise<TemplatePart> {
      return send({ method: 'PUT', path: partPath(kind, name), body: part, ...options })
    },

    /** Unlike put, it creates nothing. */
    async update(
      kind: TemplatePartKind,
      name: string,
      changes: TemplatePartChanges,
      options?: CallOptions,
    ): Promise<TemplatePart> {
      return send({ method: 'PATCH', path: partPath(kind, name), body: changes, ...options })
    },

    async delete(kind: TemplatePartKind, name: string, options?: CallOptions): Promise<void> {
      return send({ method: 'DELETE', path: partPath(kind, name), ...options })
    },

    /** Publishes again every template that uses this part. */
    async publish(
      kind: TemplatePartKind,
      name: string,
      how: { replace_waiting?: boolean } = {},
      options?: CallOptions,
    ): Promise<PublishedPart> {
      return send({ method: 'POST', path: `${partPath(kind, name)}/publish`, body: how, ...options })
    },
  }
}
