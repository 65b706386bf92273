/** One version: what changed since another, its text, and how it looks. */
import type { Template, TemplateVersion } from '@carillon/contract'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { CodeDiff, CodeEditor } from '../../ui/code-editor.tsx'
import { Select } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { asText, contentOf } from './content.ts'
import { Rendered } from './preview-card.tsx'
import type { Draft } from './use-draft.ts'
import { useVersion } from './use-version.ts'

interface VersionViewProps {
  template: Template
  version: TemplateVersion
  versions: TemplateVersion[]
  draft: Draft
  payload: Record<string, unknown>
  action: ReactNode
}

export function VersionView({ template, version, versions, draft, payload, action }: VersionViewProps) {
  const others = versions.filter(each => each.version !== version.version)
  const [view, setView] = useState<'changes' | 'text' | 'preview'>('changes')
  const older = others.find(each => each.version < version.version)
  const [other, setOther] = useState(older ? String(older.version) : 'draft')
  const mayPreview = useMay('templates:write')
  const { data, error } = useVersion(template, version.version)
  const compared = useVersion(template, other === 'draft' ? undefined : Number(other))
  const language = template.channel === 'email' ? 'liquid-html' : 'liquid'
  const text = data && asText(contentOf(data))
  const otherText =
    other === 'draft' ? asText(draft.content) : compared.data && asText(contentOf(compared.data))
  // The older one stands before the newer one, whichever was chosen first.
  const isForward = other !== 'draft' && Number(other) < version.version
  return (
    <Card title={`Version ${version.version}`} actions={action}>
      <div className="flex flex-col gap-3">
        <div className="flex flex-wrap items-center gap-3">
          <Segments
            label="What is shown"
            value={view}
            onChange={setView}
            options={[
              { value: 'changes', label: 'Changes' },
              { value: 'text', label: 'Text' },
              ...(mayPreview ? [{ value: 'preview' as const, label: 'Preview' }] : []),
            ]}
          />
          {view === 'changes' && (
            <span className="flex items-center gap-2 text-muted">
              {isForward ? 'since' : 'until'}
              <span className="w-32">
                <Select
                  aria-label="Compared with"
                  value={other}
                  onChange={event => setOther(event.target.value)}
                >
                  <option value="draft">the draft</option>
                  {others.map(each => (
                    <option key={each.version} value={each.version}>
                      version {each.version}
                    </option>
                  ))}
                </Select>
              </span>
            </span>
          )}
        </div>
        {error ? (
          <Problem error={error} />
        ) : text === undefined ? (
          <Skeleton className="h-40 w-full" />
        ) : view === 'text' ? (
          <CodeEditor label={`Version ${version.version}`} language={language} value={text} isReadOnly />
        ) : view === 'preview' ? (
          <VersionPreview template={template} version={version.version} payload={payload} />
        ) : otherText === undefined ? (
          <Skeleton className="h-40 w-full" />
        ) : otherText === text ? (
          <p className="text-muted">They say the same. Layouts, partials or samples may differ.</p>
        ) : (
          <CodeDiff
            before={isForward ? otherText : text}
            after={isForward ? text : otherText}
            language={language}
          />
        )}
      </div>
    </Card>
  )
}

function VersionPreview({
  template,
  version,
  payload,
}: {
  template: Template
  version: number
  payload: Record<string, unknown>
}) {
  const { name, channel, locale } = template
  const { data, error } = useQuery({
    queryKey: ['template-preview', name, channel, locale, version, payload],
    queryFn: ({ signal }) =>
      api.templates.preview({ name, channel, locale }, { version, data: payload }, { signal }),
  })
  if (error) return <Problem error={error} />
  return data ? <Rendered channel={channel} shown={data} /> : <Skeleton className="h-64 w-full" />
}
