import { Command } from '../../ui/copy.tsx'
import { ShownOnce } from '../../ui/shown-once.tsx'

interface HookAddressProps {
  url: string | undefined
  method: string
  onClose(): void
}

/** The address of an http trigger: whoever knows it can call it. */
export function HookAddress({ url, method, onClose }: HookAddressProps) {
  // Without a public address the server knows only the path.
  const whole = url?.startsWith('/') ? location.origin + url : url
  return (
    <ShownOnce title="The address of the trigger" secret={whole} onClose={onClose}>
      <p>Whoever knows it can run the script. Try it:</p>
      <Command
        text={`curl -X ${method} ${whole} \\\n  -H "Content-Type: application/json" -d '{"hello": "world"}'`}
      />
    </ShownOnce>
  )
}
