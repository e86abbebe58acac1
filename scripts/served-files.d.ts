import type { Plugin } from 'vite'

export function servedFiles(): Plugin
