/** Errors as people should read them: the problem, the fields at fault, and what to do next. */
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

/** Line breaks in the message are kept because ConfigError lists one problem per line. */
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
  if (line === undefined) return field
  return column === undefined ? `${field}, line ${line}` : `${field}, line ${line}, column ${column}`
}

const HINTS: { [code: string]: string } = {
  unauthenticated:
    'The key comes from --api-key, or else CARILLON_API_KEY, or else the file "api-key" that the first start wrote to the data folder (CARILLON_DATA_DIR, or else ./data).',
  forbidden: 'To create a key that may do this: carillon api-keys create <name> --scope <scope>',
  unexpected_answer:
    'The address comes from --url, or else CARILLON_URL, or else from the Carillon that runs on the data folder (CARILLON_DATA_DIR, or else ./data), or else it is http://127.0.0.1 with PORT.',
}

function connectionHint({ code, url }: CarillonConnectionError): string {
  return code === 'ECONNREFUSED'
    ? `Is Carillon running at ${url}? Start it with npm start, or give another address with --url.`
    : 'Check the address (--url or CARILLON_URL) and the network connection.'
}

/** When a database host has several addresses, the error has an empty message and one error per address inside. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0])
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
