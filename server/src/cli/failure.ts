/** What went wrong, in words that help: the problem, the fields at fault, and what to do next. */
import { CarillonConnectionError, CarillonError, type FieldError } from '@carillon/sdk'
import type { Colors } from './output/colors.ts'
import { printable } from './output/printable.ts'

export interface Failure {
  code: string
  /** The problem in one line. */
  message: string
  status?: number
  errors?: FieldError[]
  request_id?: string | undefined
  hint?: string | undefined
}

export function describeFailure(error: unknown): Failure {
  if (error instanceof CarillonError) {
    return {
      code: error.code,
      message: error.message,
      status: error.status,
      errors: error.errors,
      request_id: error.requestId,
      hint: HINTS[error.code],
    }
  }
  if (error instanceof CarillonConnectionError) {
    return { code: error.code, message: error.message, hint: connectionHint(error) }
  }
  return { code: 'failed', message: messageOf(error) }
}

/** Message lines are kept apart because ConfigError lists one problem a line. */
export function renderFailure({ message, errors = [], request_id, hint }: Failure, colors: Colors): string {
  const lines = message
    .split('\n')
    .map(line => (line.startsWith('  ') ? `  ${printable(line)}` : printable(line)))
  return [
    `${colors.red('✗')} ${lines.join('\n')}`,
    ...errors.map(error => `    ${colors.bold(printable(placeOf(error)))}: ${printable(error.message)}`),
    ...(request_id === undefined ? [] : [colors.dim(`  request id ${printable(request_id)}`)]),
    ...(hint === undefined ? [] : [`  ${colors.yellow('→')} ${hint}`]),
    '',
  ].join('\n')
}

function placeOf({ field, line, column }: FieldError): string {
  return line === undefined ? field : `${field}, line ${line}, column ${column}`
}

const HINTS: { [code: string]: string } = {
  unauthenticated:
    'The key is taken from --api-key, else CARILLON_API_KEY, else the file "api-key" that the first start left in the data folder (./data).',
  forbidden: 'A key that may do this: carillon api-keys create <name> --scope <scope>',
  unexpected_answer:
    'The address is taken from --url, else CARILLON_URL, else it is http://127.0.0.1 and PORT.',
}

function connectionHint({ code, url }: CarillonConnectionError): string {
  return code === 'ECONNREFUSED'
    ? `Is Carillon running at ${url}? Start it with npm start, or name another address with --url.`
    : 'Check the address (--url or CARILLON_URL) and the network in between.'
}

/** A database name with several addresses fails with one error per address and an empty message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0])
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
