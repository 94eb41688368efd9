import type { FeedState } from './live';

/** Stands where a document will be. */
export function Reading({ state, what }: { readonly state: FeedState<unknown>; readonly what: string }) {
  if (state.problem) return <p class="problem">{state.problem.says}</p>;
  return (
    <p class="reading" role="status">
      Reading {what} …
    </p>
  );
}
