/** What every Node process shows under its usual names, so that existing dashboards find it, and what runs here. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'
import { OWN_FOLDER } from '../../platform/database/release.ts'

/** Gauges with a name that is for counters, which Prometheus' own check refuses. Their parts have the same figures. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

export function addProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register })
  for (const name of MISNAMED) register.removeSingleMetric(name)
  const build = new Gauge({
    name: 'carillon_build_info',
    help: 'Always 1; the labels say which version runs here',
    labelNames: ['version', 'release', 'node_version'],
    registers: [register],
  })
  build.set(
    {
      version: read('package.json').version,
      release: read('release.json').number,
      node_version: process.version,
    },
    1,
  )
}

function read(file: string) {
  return JSON.parse(readFileSync(join(OWN_FOLDER, file), 'utf8'))
}
