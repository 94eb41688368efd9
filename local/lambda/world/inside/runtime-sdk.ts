import Module, { createRequire } from 'node:module';
import path from 'node:path';

/** As much of node's loader as has to give way: its types leave it out, and nothing public decides what `require` finds. */
interface Loader {
  _load(request: string, parent: unknown, isMain: boolean): unknown;
}

/** What Lambda's runtimes bring along: the AWS SDK for JavaScript, version 3. */
const IN_THE_RUNTIME = /^@(?:aws-sdk|smithy)\//;

/** Where this machine may have it: the project of whoever deploys, and our own dependencies. */
const FOLDERS: readonly string[] = [process.cwd(), __dirname];

/**
 * Lets functions `require` the AWS SDK although it is not in their bundles, as they can in Lambda's own runtimes. It is
 * this machine's, in the version installed here. A client that is not installed can be loaded and not used, for there is
 * none that Lambda's runtimes lack. ECMAScript modules find what lies beside them alone.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-nodejs.html#nodejs-sdk-included
 */
export function installSdk(): void {
  const loader = Module as unknown as Loader;
  const load = loader._load.bind(loader);
  const elsewhere = FOLDERS.map(folder => createRequire(path.join(folder, 'package.json')));
  loader._load = (request, parent, isMain) => {
    try {
      return load(request, parent, isMain);
    } catch (error) {
      if (!IN_THE_RUNTIME.test(request) || !isMissing(error, request)) throw error;
      for (const require of elsewhere) {
        const file = resolved(require, request);
        if (file !== undefined) return load(file, parent, isMain);
      }
      return absent(request);
    }
  };
}

/** Whether it is the package itself that is missing, and not something it needs. */
function isMissing(error: unknown, request: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'MODULE_NOT_FOUND' &&
    error.message.includes(`'${request}'`)
  );
}

function resolved(require: NodeJS.Require, request: string): string | undefined {
  try {
    return require.resolve(request);
  } catch (error) {
    if (isMissing(error, request)) return undefined;
    throw error;
  }
}

/** A package whose exports say that they are missing when they are used. */
function absent(request: string): unknown {
  const refuse = (): never => {
    throw new Error(
      `${request} is part of Lambda's runtime and not installed on this machine: npm install --save-dev ${request}`,
    );
  };
  return new Proxy(
    {},
    { get: (_, name) => (typeof name === 'string' && name !== 'then' ? missing(refuse) : undefined) },
  );
}

/** Something that can be called, constructed and extended, none of which goes well. */
function missing(refuse: () => never) {
  return class {
    constructor() {
      refuse();
    }
  };
}
