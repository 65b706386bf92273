import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'

export function NotFound() {
  return (
    <Page title="There is no such page">
      <Empty
        title="Nothing is at this address"
        text="It may have been moved, or the link was cut off."
        action={
          <LinkButton to="/" kind="primary">
            Go to the overview
          </LinkButton>
        }
      />
    </Page>
  )
}
