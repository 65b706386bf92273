/** Publishing, after a look at what changes. */
import type { Template, TemplateVersionDetail } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { CodeDiff, CodeEditor } from '../../ui/code-editor.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { toast } from '../../ui/toasts.tsx'
import { asText, contentOf } from './content.ts'

interface PublishQuestionProps {
  template: Template
  published: TemplateVersionDetail | undefined
  onClose(): void
}

export function PublishQuestion({ template, published, onClose }: PublishQuestionProps) {
  const { name, channel, locale } = template
  const queryClient = useQueryClient()
  const [replacesWaiting, setReplacesWaiting] = useState(false)
  const key = { name, channel, locale }
  const language = channel === 'email' ? 'liquid-html' : 'liquid'
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['templates'] })
  const undo = async (version: number) => {
    try {
      await api.templates.rollBack(key, { version, replace_waiting: replacesWaiting })
      await refresh()
      toast(`Version ${version} is published again.`)
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
  }
  return (
    <Confirm
      title={`Publish ${name} for ${channel} in ${locale}?`}
      action="Publish"
      isDangerous={false}
      isWide
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        const { version } = await api.templates.publish(key, { replace_waiting: replacesWaiting })
        await refresh()
        toast(`Version ${version} is published.`, {
          ...(published && { undo: () => void undo(published.version) }),
        })
      }}
    >
      <div className="flex flex-col gap-4">
        <p>
          {published
            ? `New notifications get this text instead of version ${published.version}. What was accepted earlier keeps the version it was accepted with.`
            : 'It is the first version: new notifications get this text from now on.'}
        </p>
        {published ? (
          <CodeDiff
            before={asText(contentOf(published))}
            after={asText(contentOf(template))}
            language={language}
          />
        ) : (
          <CodeEditor label="Text" value={asText(contentOf(template))} language={language} isReadOnly />
        )}
        {published && (
          <Checkbox
            label="Also use it for messages that were accepted with an earlier version and still wait"
            checked={replacesWaiting}
            onChange={event => setReplacesWaiting(event.target.checked)}
          />
        )}
      </div>
    </Confirm>
  )
}
