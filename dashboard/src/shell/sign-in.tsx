import { type FormEvent, useEffect, useRef, useState } from 'react'
import { api, wordsOf } from '../app/api.ts'
import { Button } from '../ui/button.tsx'
import { Command } from '../ui/copy.tsx'
import { Field, Input } from '../ui/field.tsx'
import { Notice } from '../ui/problem.tsx'
import { useSave } from '../ui/use-save.ts'
import { Entrance } from './entrance.tsx'

type Way = 'password' | 'key'

export function SignIn({ onDone }: { onDone(): void }) {
  const [way, setWay] = useState<Way>('password')
  const [email, setEmail] = useState('')
  const [secret, setSecret] = useState('')
  const saving = useSave(
    () => api.session.create(way === 'key' ? { api_key: secret.trim() } : { email, password: secret }),
    ['email', 'password', 'api_key'],
  )
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (await saving.save(undefined)) onDone()
  }
  const turn = () => {
    setWay(way === 'key' ? 'password' : 'key')
    setSecret('')
    saving.clear()
  }
  return (
    <Entrance title="Sign in">
      <form onSubmit={submit} className="flex flex-col gap-4">
        {saving.problem && <Notice tone="bad">{saving.problem}</Notice>}
        {way === 'password' ? (
          <>
            <Field label="Email" error={saving.errorOf('email')}>
              <Input
                type="email"
                autoComplete="username"
                required
                autoFocus
                value={email}
                onChange={event => setEmail(event.target.value)}
              />
            </Field>
            <Field label="Password" error={saving.errorOf('password')}>
              <Input
                type="password"
                autoComplete="current-password"
                required
                value={secret}
                onChange={event => setSecret(event.target.value)}
              />
            </Field>
          </>
        ) : (
          <Field
            key="key"
            label="API key"
            error={saving.errorOf('api_key')}
            help="You may do here exactly what the key may do."
          >
            <Input
              type="password"
              autoComplete="off"
              required
              autoFocus
              value={secret}
              onChange={event => setSecret(event.target.value)}
            />
          </Field>
        )}
        <Button type="submit" kind="primary" isBusy={saving.isBusy}>
          Sign in
        </Button>
        <Button kind="quiet" onClick={turn}>
          {way === 'key' ? 'Use an email and a password' : 'Use an API key'}
        </Button>
      </form>
      <details className="text-sm text-muted">
        <summary>Cannot sign in</summary>
        <p className="my-2">
          On the machine that Carillon runs on, this prints a link that signs you in once:
        </p>
        <Command text="npx carillon accounts link" />
      </details>
    </Entrance>
  )
}

/** A link that signs in once: the first one, or one that an operator printed. */
export function FollowLink({ link, onDone }: { link: string; onDone(): void }) {
  const [problem, setProblem] = useState<string>()
  const hasBegun = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link works once, so it is followed once
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    api.session.create({ link }).then(onDone, error => setProblem(wordsOf(error)))
  }, [])
  if (problem === undefined) return null
  return (
    <Entrance title="This link does not work" lead={problem}>
      <p>On the machine that Carillon runs on:</p>
      <Command text="npx carillon accounts link" />
      <Button onClick={onDone}>Sign in</Button>
    </Entrance>
  )
}
