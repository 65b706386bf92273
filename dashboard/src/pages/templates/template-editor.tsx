import type { Template } from '@carillon/contract'
import { useState } from 'react'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Page } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSaveKey } from '../../ui/use-save-key.ts'
import { contentOf, isSame } from './content.ts'
import { MoreMenu } from './more-menu.tsx'
import { PublishQuestion } from './publish-question.tsx'
import { SendTest } from './send-test.tsx'
import { Siblings } from './siblings.tsx'
import { useDraft } from './use-draft.ts'
import { usePayload } from './use-payload.ts'
import { useVersion } from './use-version.ts'
import { VersionsTab } from './versions-tab.tsx'
import { WriteTab } from './write-tab.tsx'

const REFUSAL = 'You need templates:write: ask an owner.'

export function TemplateEditor({ template }: { template: Template }) {
  const { name, channel, locale, published_version } = template
  const mayWrite = useMay('templates:write')
  const draft = useDraft(template)
  const payload = usePayload(name, draft.content)
  const [open, setOpen] = useState<'publish' | 'send'>()
  // What new notifications say now.
  const { data: published } = useVersion(template, published_version)
  const isPublished =
    published_version !== null && (published === undefined || isSame(draft.content, contentOf(published)))
  const save = async () => {
    if (!mayWrite || !draft.isChanged || draft.isSaving) return
    if (await draft.save()) toast('Draft saved. Nothing uses it until you publish it.')
  }
  useSaveKey(save)
  const publish = async () => {
    if (!draft.isChanged || (await draft.save())) setOpen('publish')
  }
  return (
    <Page
      title={name}
      about={<State template={template} isChanged={draft.isChanged} isPublished={isPublished} />}
      actions={
        <>
          <MoreMenu template={template} draft={draft} />
          <Button
            onClick={() => setOpen('send')}
            refusal={published_version === null && 'Publish it first: only published texts are sent.'}
          >
            Send a test
          </Button>
          <Button
            onClick={save}
            isBusy={draft.isSaving}
            refusal={mayWrite ? !draft.isChanged && 'Nothing has changed.' : REFUSAL}
          >
            Save draft
          </Button>
          <Button
            kind="primary"
            onClick={publish}
            refusal={
              mayWrite ? isPublished && `This is what version ${published_version} says already.` : REFUSAL
            }
          >
            Publish
          </Button>
        </>
      }
    >
      <Siblings template={template} />
      <Tabs
        label="Template"
        tabs={[
          {
            value: 'write',
            title: 'Write',
            content: <WriteTab template={template} draft={draft} payload={payload} onSave={save} />,
          },
          {
            value: 'versions',
            title: 'Versions',
            content: <VersionsTab template={template} draft={draft} payload={payload} />,
          },
        ]}
      />
      {open === 'publish' && (
        <PublishQuestion template={template} published={published} onClose={() => setOpen(undefined)} />
      )}
      {open === 'send' && (
        <SendTest
          template={{ name, channel, locale, published_version }}
          isDraftNewer={!isPublished}
          payload={payload.value ?? {}}
          onClose={() => setOpen(undefined)}
        />
      )}
      <LeaveGuard name={name} isChanged={draft.isChanged} onSave={draft.save} />
    </Page>
  )
}

function State({
  template,
  isChanged,
  isPublished,
}: {
  template: Template
  isChanged: boolean
  isPublished: boolean
}) {
  const { is_active, published_version } = template
  return (
    <>
      {!is_active && <Status status="inactive" label="switched off" tone="bad" />}
      {published_version === null ? (
        <Status status="draft" label="draft, not published" />
      ) : (
        <Status status="published" label={`version ${published_version} is published`} />
      )}
      {isChanged ? (
        <Status status="draft" label="unsaved changes" />
      ) : (
        published_version !== null && !isPublished && <Status status="draft" label="newer draft" />
      )}
    </>
  )
}
