import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../../app/api.ts'
import { SESSION_KEY, useSession } from '../../app/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { Notice } from '../../ui/problem.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSave } from '../../ui/use-save.ts'

export function PasswordForm({ email }: { email: string }) {
  const queryClient = useQueryClient()
  const { needs_password: isNew } = useSession()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const saving = useSave(async () => {
    await api.account.update({ password, ...(!isNew && { current_password: current }) })
    await queryClient.invalidateQueries({ queryKey: SESSION_KEY })
    await queryClient.invalidateQueries({ queryKey: ['sessions'] })
  }, ['password', 'current_password'])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!(await saving.save(undefined))) return
    setCurrent('')
    setPassword('')
    toast('Your password was changed. All other sessions have ended.')
  }
  return (
    <Card title="Password">
      <form onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        {/* For password managers. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        {!isNew && (
          <Field label="Current password" error={saving.errorOf('current_password')}>
            <Input
              type="password"
              autoComplete="current-password"
              required
              value={current}
              onChange={event => setCurrent(event.target.value)}
            />
          </Field>
        )}
        <Field
          label="New password"
          error={saving.errorOf('password')}
          help="At least 12 characters. All other sessions end."
        >
          <Input
            type="password"
            autoComplete="new-password"
            required
            minLength={12}
            value={password}
            onChange={event => setPassword(event.target.value)}
          />
        </Field>
        <div>
          <Button type="submit" kind="primary" isBusy={saving.isBusy}>
            Change the password
          </Button>
        </div>
      </form>
    </Card>
  )
}
