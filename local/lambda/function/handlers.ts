import type { HandledCode } from '../environment/handled-environment';
import type { FunctionConfiguration } from './function-configuration';

const SIMULATED_RUNTIME = /^nodejs\d+\.x$/;

/** Whether the embedded AWS runs the code of functions with this runtime. */
export const isSimulatedRuntime = (runtime: string): boolean => SIMULATED_RUNTIME.test(runtime);

/** Code of a test that runs in place of functions' own, by the functions' ARNs. */
export class Handlers {
  private readonly byArn = new Map<string, HandledCode>();

  /** @param code undefined restores the function's own code */
  set(functionArn: string, code: HandledCode | undefined): void {
    if (code) this.byArn.set(functionArn, code);
    else this.byArn.delete(functionArn);
  }

  /** Whether code of a test runs in place of the function. */
  has({ functionArn }: FunctionConfiguration): boolean {
    return this.byArn.has(functionArn);
  }

  /** Returns undefined for a function that runs its own code. */
  find({ functionArn, functionName, runtime }: FunctionConfiguration): HandledCode | undefined {
    const code = this.byArn.get(functionArn);
    return code ?? (isSimulatedRuntime(runtime) ? undefined : missingCode(functionName, runtime));
  }
}

class NotSimulatedError extends Error {
  override readonly name = 'NotSimulated';
}

const missing = new Map<string, HandledCode>();

/** The same for each function, so that its environments can be used again. */
function missingCode(functionName: string, runtime: string): HandledCode {
  const key = `${functionName} ${runtime}`;
  const known = missing.get(key);
  if (known) return known;
  const what = runtime === '' ? 'a container image' : `the runtime ${runtime}`;
  const text =
    `The embedded AWS does not run ${what} of function ${functionName}. ` +
    `A test can run in its place: aws.function('${functionName}').handle(async event => …)`;
  const code = (): never => {
    throw new NotSimulatedError(text);
  };
  missing.set(key, code);
  return code;
}
