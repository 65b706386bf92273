/** The TypeScript declarations of what scripts can use. They are published with the SDK, where editors find them. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const package_ = createRequire(import.meta.url).resolve('@carillon/sdk/package.json')

export const SCRIPT_TYPES = readFileSync(new URL('scripts.d.ts', `file://${package_}`), 'utf8')
