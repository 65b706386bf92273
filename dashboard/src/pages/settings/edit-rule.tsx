import type { FanoutRule, FanoutRuleInput } from '@carillon/contract'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { api, wordsOf } from '../../app/api.ts'
import { useMay } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CHANNEL_NAMES } from '../../ui/channel.tsx'
import { CheckRow } from '../../ui/check-row.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, Field, Input } from '../../ui/field.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'

type RuleChannel = FanoutRuleInput['channels'][number]
const CHANNELS: RuleChannel[] = ['in_app', 'email', 'sms', 'push', 'chat']

interface EditRuleProps {
  rule: FanoutRule | undefined
  relations: string[]
  onClose(): void
}

export function EditRule({ rule, relations, onClose }: EditRuleProps) {
  const may = useMay('topics:write')
  const formId = useId()
  const queryClient = useQueryClient()
  const [kind, setKind] = useState(rule?.event_kind ?? '')
  const [relation, setRelation] = useState(rule?.relation ?? '')
  const [channels, setChannels] = useState<RuleChannel[]>(rule?.channels ?? ['in_app'])
  const [passesMute, setPassesMute] = useState(rule?.passes_mute ?? false)
  const [type, setType] = useState(rule?.notification_type ?? '')
  const refusal = !may && 'You need topics:write: ask an owner.'
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['fanout-rules'] })
  const saving = useSave(async () => {
    await api.fanoutRules.put(kind.trim(), relation.trim(), {
      channels,
      passes_mute: passesMute,
      notification_type: type.trim() || null,
    })
    await refresh()
    toast('The rule is saved. It applies to new events.')
  }, ['event_kind', 'relation', 'channels', 'notification_type'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await saving.save(undefined)) onClose()
  }
  const giveUp = async () => {
    try {
      await api.fanoutRules.delete(kind, relation)
      await refresh()
      toast('Your rule is gone; a built-in one applies again where there is one.', {
        undo: () => void saving.save(undefined),
      })
      onClose()
    } catch (error) {
      toast(wordsOf(error), { tone: 'bad' })
    }
  }
  return (
    <Dialog
      title={rule ? `${rule.event_kind}: ${rule.relation}` : 'Create a rule'}
      isOpen
      onClose={onClose}
      footer={
        <>
          {rule && !rule.is_built_in && (
            <Button kind="danger" className="mr-auto" onClick={giveUp} refusal={refusal}>
              Delete
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={formId} isBusy={saving.isBusy} refusal={refusal}>
            {rule?.is_built_in ? 'Replace the built-in rule' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        {!rule && (
          <>
            <Field
              label="Event"
              error={saving.errorOf('event_kind')}
              help="A kind such as issue_closed, or a beginning followed by *."
            >
              <Input
                required
                autoFocus
                maxLength={64}
                value={kind}
                onChange={event => setKind(event.target.value)}
              />
            </Field>
            <Field
              label="Relation"
              error={saving.errorOf('relation')}
              help="Who, as seen from the event: author, assignee, mention …"
            >
              <Input
                required
                list={`${formId}-relations`}
                value={relation}
                onChange={event => setRelation(event.target.value)}
              />
              <datalist id={`${formId}-relations`}>
                {relations.map(name => (
                  <option key={name} value={name} />
                ))}
              </datalist>
            </Field>
          </>
        )}
        <Field
          label="Channels"
          error={saving.errorOf('channels')}
          help="None chosen: people in this relation get nothing, whatever other rules say."
        >
          <CheckRow
            label="Channels"
            options={CHANNELS}
            labels={CHANNEL_NAMES}
            value={channels}
            onChange={setChannels}
          />
        </Field>
        <Field
          label="Type"
          isOptional
          error={saving.errorOf('notification_type')}
          help="Whose templates, category and rules are used. If left empty: the kind of the event."
        >
          <Input
            maxLength={100}
            placeholder={kind}
            value={type}
            onChange={event => setType(event.target.value)}
          />
        </Field>
        <Checkbox
          label="Also reaches people who ignore the topic or left the thread"
          checked={passesMute}
          onChange={event => setPassesMute(event.target.checked)}
        />
      </form>
    </Dialog>
  )
}
