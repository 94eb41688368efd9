import { signal } from '@preact/signals';

/** The route after `#/`, split at slashes and decoded: `['queue', 'orders-dlq']`. */
export const route = signal<readonly string[]>(parse());

function parse(): readonly string[] {
  const path = location.hash.replace(/^#\/?/, '');
  return path.split('/').map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      // A link that was cut off in the middle of an escape.
      return part;
    }
  });
}

addEventListener('hashchange', () => {
  route.value = parse();
  scrollTo(0, 0);
});

/** A link to a view: `link('queue', name)`. */
export function link(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}
