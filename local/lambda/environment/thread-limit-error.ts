/** More functions run at once than this machine should have threads for. */
export class ThreadLimitError extends Error {
  override readonly name = 'ThreadLimitError';

  constructor(maxThreads: number, functionName: string) {
    super(
      `${functionName} would run beside ${maxThreads} functions, and each takes a thread of about 10 MB here. ` +
        'Limit it as you would on AWS (reserved concurrency, or MaximumConcurrency of the event source mapping), or raise ' +
        `maxThreads of LambdaOptions, which is ${maxThreads}`,
    );
  }
}
