/** A page that broke. After an update of the server, its parts may be gone: loading the page again helps. */
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/problem.tsx'

export function PageFailed({ error }: { error: unknown }) {
  const isOutdated = /dynamically imported module|module script/i.test(String(error))
  return (
    <div className="p-6">
      <Problem
        error={isOutdated ? new Error('Carillon was updated meanwhile, and this page is older.') : error}
      />
      <div className="flex justify-center">
        <Button kind="primary" onClick={() => location.reload()}>
          Load the page again
        </Button>
      </div>
    </div>
  )
}
