/** What several calls of providers found out about the devices of one push. */
import type { Outcome } from '../../providers/services/provider.ts'

export type DeviceOutcomes = Pick<
  Outcome,
  'reached_devices' | 'gone_devices' | 'rejected_devices' | 'gone_since' | 'tickets'
>

/** Nothing more is sent to these. */
export function settledDevices(outcomes: DeviceOutcomes): string[] {
  const { reached_devices = [], gone_devices = [], rejected_devices = [] } = outcomes
  return [...reached_devices, ...gone_devices, ...rejected_devices]
}

export function mergeDeviceOutcomes(...all: DeviceOutcomes[]): DeviceOutcomes {
  const reached = all.flatMap(each => each.reached_devices ?? [])
  const gone = all.flatMap(each => each.gone_devices ?? [])
  const rejected = all.flatMap(each => each.rejected_devices ?? [])
  const tickets = all.flatMap(each => each.tickets ?? [])
  const since = Object.assign({}, ...all.map(each => each.gone_since)) as Record<string, string>
  return {
    ...(reached.length > 0 && { reached_devices: reached }),
    ...(gone.length > 0 && { gone_devices: gone }),
    ...(rejected.length > 0 && { rejected_devices: rejected }),
    ...(Object.keys(since).length > 0 && { gone_since: since }),
    ...(tickets.length > 0 && { tickets }),
  }
}
