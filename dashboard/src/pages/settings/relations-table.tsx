/** How people can stand to an event. Of several, the one with the lowest number that has a rule decides. */
import type { Relation } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { ListCard } from '../../ui/list-card.tsx'
import { Notice } from '../../ui/problem.tsx'
import { Chip } from '../../ui/status.tsx'
import { toast } from '../../ui/toasts.tsx'
import { onePage, useRows } from '../../ui/use-rows.ts'
import { useSave } from '../../ui/use-save.ts'

const REFUSAL = 'You need topics:write: ask an owner.'

export function RelationsTable() {
  const may = useMay('topics:write')
  const [edited, setEdited] = useState<Relation | 'new'>()
  const list = useRows<Relation>(['relations', 'rows'], async (_position, options) =>
    onePage(await api.relations.list(options)),
  )
  return (
    <>
      <ListCard
        label="Relations"
        list={list}
        columns={COLUMNS}
        idOf={({ name }) => name}
        onOpen={relation => setEdited(relation)}
        actions={
          <Button kind="quiet" size="small" onClick={() => setEdited('new')} refusal={!may && REFUSAL}>
            <Plus size={14} aria-hidden="true" />
            Create a relation
          </Button>
        }
        empty={<Empty title="There are no relations" text="A relation is how a person stands to an event." />}
      />
      {edited && (
        <EditRelation relation={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </>
  )
}

const COLUMNS: Column<Relation>[] = [
  { title: 'Relation', cell: ({ name }) => name, csv: ({ name }) => name },
  { title: 'Reason that people read', cell: ({ reason }) => reason, csv: ({ reason }) => reason },
  {
    title: 'Priority',
    cell: ({ priority }) => priority,
    csv: ({ priority }) => priority,
    isNumber: true,
    width: 'w-24',
  },
  {
    title: 'Origin',
    cell: ({ is_built_in }) => (
      <Chip {...(!is_built_in && { tone: 'info' as const })}>{is_built_in ? 'built in' : 'your own'}</Chip>
    ),
    csv: ({ is_built_in }) => (is_built_in ? 'built in' : 'own'),
    width: 'w-44',
    from: 'md',
  },
]

function EditRelation({ relation, onClose }: { relation: Relation | undefined; onClose(): void }) {
  const may = useMay('topics:write')
  const formId = useId()
  const queryClient = useQueryClient()
  const [name, setName] = useState(relation?.name ?? '')
  const [reason, setReason] = useState(relation?.reason ?? '')
  const [priority, setPriority] = useState(String(relation?.priority ?? 100))
  const refusal = !may && REFUSAL
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['relations'] })
  const saving = useSave(async () => {
    await api.relations.put(name.trim(), { priority: Number(priority), reason: reason.trim() })
    await refresh()
    toast(`The relation ${name.trim()} is saved.`)
  }, ['name', 'reason', 'priority'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await saving.save(undefined)) onClose()
  }
  const giveUp = async () => {
    try {
      await api.relations.delete(name)
      await refresh()
      toast('It is gone; a built-in one of that name applies again.', {
        undo: () => void saving.save(undefined),
      })
      onClose()
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
  }
  return (
    <Dialog
      title={relation?.name ?? 'Create a relation'}
      isOpen
      onClose={onClose}
      footer={
        <>
          {relation && !relation.is_built_in && (
            <Button kind="danger" className="mr-auto" onClick={giveUp} refusal={refusal}>
              Delete
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={saving.isBusy} refusal={refusal}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        {!relation && (
          <Field label="Name" error={saving.errorOf('name')} help="As events name it, such as reviewer.">
            <Input required autoFocus value={name} onChange={event => setName(event.target.value)} />
          </Field>
        )}
        <Field
          label="Reason"
          error={saving.errorOf('reason')}
          help="Why the person is told, as they read it and as preferences name it."
        >
          <Input required maxLength={32} value={reason} onChange={event => setReason(event.target.value)} />
        </Field>
        <Field
          label="Priority"
          error={saving.errorOf('priority')}
          help="Of several relations of a person, the one with the lowest number that has a rule decides."
        >
          <Input
            type="number"
            required
            min={0}
            max={1000}
            className="max-w-28"
            value={priority}
            onChange={event => setPriority(event.target.value)}
          />
        </Field>
      </form>
    </Dialog>
  )
}
