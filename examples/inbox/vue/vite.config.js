import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vite'

// Without this, Vue looks for a component of that name, and warns.
const isCustomElement = tag => tag.startsWith('carillon-')

export default defineConfig({
  plugins: [vue({ template: { compilerOptions: { isCustomElement } } })],
})
