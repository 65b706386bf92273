import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { api } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Confirm, Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Switch, Textarea } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'
import type { CategoryRow } from './categories-tab.tsx'

const REFUSAL = 'You need types:write: ask an owner.'

export function EditCategory({ row, onClose }: { row: CategoryRow | undefined; onClose(): void }) {
  const may = useMay('types:write')
  const formId = useId()
  const queryClient = useQueryClient()
  const before = row?.described
  const [category, setCategory] = useState(row?.category ?? '')
  const [name, setName] = useState(before?.name ?? '')
  const [description, setDescription] = useState(before?.description ?? '')
  const [required, setRequired] = useState(before?.required ?? false)
  const [position, setPosition] = useState(String(before?.position ?? 0))
  const [isDeleting, setDeleting] = useState(false)
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['categories'] })
  const saving = useSave(async () => {
    await api.categories.put(category.trim(), { name, description, required, position: Number(position) })
    await refresh()
  }, ['category', 'name', 'description', 'required', 'position'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await saving.save(undefined))) return
    toast(`The category ${category.trim()} is saved.`)
    onClose()
  }
  if (isDeleting)
    return (
      <Confirm
        title={`Delete the category ${category}?`}
        action="Delete"
        isOpen
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          await api.categories.delete(category)
          await refresh()
          toast(`The category ${category} is deleted.`)
          onClose()
        }}
      >
        Its name and description go, and it can be switched off again if it was always sent. Types and
        preferences that name it stay as they are.
      </Confirm>
    )
  return (
    <Dialog
      title={row ? row.category : 'Create a category'}
      isOpen
      onClose={onClose}
      footer={
        <>
          {before && (
            <Button
              kind="danger"
              className="mr-auto"
              onClick={() => setDeleting(true)}
              refusal={!may && REFUSAL}
            >
              Delete
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={saving.isBusy} refusal={!may && REFUSAL}>
            Save
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        {!row && (
          <Field
            label="Category"
            error={saving.errorOf('category')}
            help="As types and preferences name it, such as orders."
          >
            <Input
              required
              autoFocus
              maxLength={50}
              value={category}
              onChange={event => setCategory(event.target.value)}
            />
          </Field>
        )}
        <Field
          label="Name"
          isOptional
          error={saving.errorOf('name')}
          help="What people read; made from the category unless given."
        >
          <Input maxLength={100} value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <Field
          label="Description"
          isOptional
          error={saving.errorOf('description')}
          help="What messages it is about, for people."
        >
          <Textarea
            rows={2}
            maxLength={1000}
            value={description}
            onChange={event => setDescription(event.target.value)}
          />
        </Field>
        <Field
          label="Position"
          error={saving.errorOf('position')}
          help="Lower ones stand first on the preference page."
        >
          <Input
            type="number"
            min={0}
            className="max-w-28"
            value={position}
            onChange={event => setPosition(event.target.value)}
          />
        </Field>
        <Field
          label="Always sent"
          help="Neither people nor the defaults can switch it off, and caps do not apply. For codes, receipts and the like."
        >
          <Switch label="Always sent" isOn={required} onChange={setRequired} />
        </Field>
      </form>
    </Dialog>
  )
}
