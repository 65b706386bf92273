/** What templates share: layouts around mails, and partials inside them. */
import type { TemplatePart, TemplatePartKind } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { api, isProblem } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Page } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { Chip } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { onePage, useRows } from '../../ui/use-rows.ts'
import { useSave } from '../../ui/use-save.ts'

export const partPath = (kind: string, name: string): string =>
  `/template-parts/${kind}/${encodeURIComponent(name)}`

export default function TemplatePartsPage() {
  const may = useMay('templates:write')
  const [isNew, setNew] = useState(false)
  const list = useRows<TemplatePart>(['template-parts', 'rows'], async (_position, options) =>
    onePage(await api.templateParts.list(options)),
  )
  return (
    <Page
      title="Layouts and partials"
      lead="A layout stands around the body of a mail; a partial is rendered inside a template with {% render %}. Published templates hold copies: publish a part to renew them."
      actions={
        <Button
          kind="primary"
          onClick={() => setNew(true)}
          refusal={!may && 'You need templates:write: ask an owner.'}
        >
          <Plus size={14} aria-hidden="true" />
          Create a part
        </Button>
      }
    >
      <ListCard
        label="Layouts and partials"
        list={list}
        columns={COLUMNS}
        idOf={({ kind, name }) => `${kind}/${name}`}
        linkOf={({ kind, name }) => partPath(kind, name)}
        empty={<Empty title="There are no parts" text="Parts are pieces of text that templates share." />}
      />
      {isNew && <NewPart onClose={() => setNew(false)} />}
    </Page>
  )
}

const COLUMNS: Column<TemplatePart>[] = [
  {
    title: 'Name',
    cell: ({ name, is_built_in }) => (
      <span className="inline-flex max-w-full items-center gap-2">
        <span className="cut">{name}</span>
        {is_built_in && <Chip>built in</Chip>}
      </span>
    ),
    csv: ({ name }) => name,
  },
  { title: 'Kind', cell: ({ kind }) => kind, csv: ({ kind }) => kind, width: 'w-28' },
  {
    title: 'Size',
    cell: ({ source }) => `${source.length.toLocaleString('en')} characters`,
    csv: ({ source }) => source.length,
    width: 'w-40',
    isNumber: true,
    from: 'md',
  },
  {
    title: 'Changed',
    cell: ({ updated_at }) => <Time value={updated_at} className="text-muted" />,
    csv: ({ updated_at }) => updated_at,
    width: 'w-32',
    from: 'md',
  },
]

const STARTERS: Record<TemplatePartKind, string> = {
  layout:
    '<!doctype html>\n<html lang="{{ recipient.locale }}" dir="{{ recipient.direction }}">\n<body>\n{{ content }}\n</body>\n</html>\n',
  partial: '<p>{{ item.name }}</p>\n',
}

function NewPart({ onClose }: { onClose(): void }) {
  const formId = useId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [kind, setKind] = useState<TemplatePartKind>('partial')
  const [name, setName] = useState('')
  const saving = useSave(async () => {
    if (await exists(kind, name)) return
    await api.templateParts.put(kind, name, { source: STARTERS[kind] })
    await queryClient.invalidateQueries({ queryKey: ['template-parts'] })
  }, ['name'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await saving.save(undefined)) void navigate({ to: partPath(kind, name) })
  }
  return (
    <Dialog
      title="Create a part"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={saving.isBusy}>
            Create
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        <Field label="Kind">
          <Select value={kind} onChange={event => setKind(event.target.value as TemplatePartKind)}>
            <option value="partial">Partial: a piece inside templates</option>
            <option value="layout">Layout: around the body of mails</option>
          </Select>
        </Field>
        <Field label="Name" error={saving.errorOf('name')} help="Lower-case letters, digits, - and _.">
          <Input
            required
            autoFocus
            maxLength={50}
            pattern="[a-z0-9_\-]+"
            value={name}
            onChange={event => setName(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  )
}

async function exists(kind: TemplatePartKind, name: string): Promise<boolean> {
  try {
    await api.templateParts.get(kind, name)
    return true
  } catch (error) {
    if (isProblem(error, 404)) return false
    throw error
  }
}
