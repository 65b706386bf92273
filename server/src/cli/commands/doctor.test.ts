import { expect, inject, test } from 'vitest'
import { useCarillon } from '../../../test/carillon.ts'
import { startFakeApi } from '../fake-api.fixture.ts'
import { carillon as runCarillon } from '../in-process.fixture.ts'

const carillon = useCarillon()

const EXAMINATION = {
  status: 'bad',
  examined_at: '2026-01-31T12:00:00.000Z',
  findings: [
    { check: 'clock', status: 'ok', summary: 'The clocks agree.', advice: null },
    { check: 'queues', status: 'warn', summary: 'Messages wait.', advice: 'Start another process.' },
    { check: 'queues', status: 'bad', summary: 'Everything waits.', advice: 'Start a process.' },
  ],
}

test('doctor --remote shows what the server found, and ends with 1 when something is bad', async () => {
  const api = await startFakeApi({ 'GET /v1/doctor': () => EXAMINATION })
  const shown = await runCarillon(api.url, ['doctor', '--remote'])
  expect(shown).toEqual({
    code: 1,
    stderr: '',
    stdout: [
      '✓ clock   The clocks agree.',
      '! queues  Messages wait.',
      '          Start another process.',
      '✗         Everything waits.',
      '          Start a process.',
      '',
      'Something needs you: see what is marked with ✗.',
      '',
    ].join('\n'),
  })
  const machine = await runCarillon(api.url, ['doctor', '--remote', '--json'])
  expect([machine.code, JSON.parse(machine.stdout)]).toEqual([1, EXAMINATION])
})

test('doctor looks from this machine, also while no server answers', async () => {
  const environment = { DATABASE_URL: carillon.url, CARILLON_DATA_DIR: inject('scratchDir') }
  const { stdout } = await runCarillon('', ['doctor', '--json'], { environment })
  const { findings } = JSON.parse(stdout)
  const of = (check: string) => findings.find((finding: { check: string }) => finding.check === check)
  expect(of('release').status).toBe('ok')
  expect(of('master key').summary).toBe('This machine has no master key.')
})

test('doctor creates nothing where there is no Carillon', async () => {
  const environment = { CARILLON_DATA_DIR: `${inject('scratchDir')}/nowhere` }
  const { code, stderr } = await runCarillon('', ['doctor'], { environment })
  expect([code, stderr]).toEqual([1, expect.stringContaining('There is no Carillon in')])
})
