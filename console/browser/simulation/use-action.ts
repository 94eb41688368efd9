import { useState } from 'preact/hooks';
import { problemText } from '../shared/text';

/** An action of the user, which takes a while and may fail. */
export interface Action {
  readonly isBusy: boolean;
  /** Why the last one failed. Empty if it did not. */
  readonly problem: string;
  run<T>(work: () => Promise<T>): Promise<T | undefined>;
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const run = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    setProblem('');
    try {
      return await work();
    } catch (error) {
      setProblem(problemText(error));
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run };
}
