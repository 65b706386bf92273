import { Bell } from './bell.tsx'

export default function Page() {
  return (
    <header>
      <h1>Shop</h1>
      <Bell />
    </header>
  )
}
