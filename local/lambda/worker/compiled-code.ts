import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import type { CompiledFile } from '../environment/protocol';

/** V8 compiles less code in about a millisecond. */
const FEWEST_CHARACTERS = 50_000;

/** Code that V8 compiled earlier cannot import a module. */
const IMPORTS = /\bimport\b\s*\(/;

const PREFIX = '(function (exports, require, module, __filename, __dirname) { ';

/** The internal part of Node.js's module loader that runs a file. There is no public one. */
interface Compiler {
  _compile(content: string, filename: string, format?: string): unknown;
}

/**
 * Runs a large CommonJS file from what V8 compiled of it in an earlier thread. Compiling is a fifth of the work of a
 * thread that handles one event with an SDK. What the code does is the same.
 */
export class CompiledCode {
  private fresh: { readonly sha1: string; readonly script: vm.Script } | undefined;

  constructor(private readonly known: readonly CompiledFile[]) {}

  /** Lets the next `require`, which must be of this file, run the compiled code. Does nothing for other files. */
  prepare(file: string): void {
    const filename = realpathSync(file);
    const source = readFileSync(filename, 'utf8');
    const worthIt = source.length >= FEWEST_CHARACTERS && !IMPORTS.test(source);
    const script = worthIt ? this.scriptOf(source, filename) : undefined;
    if (!script) return;
    // The types of Node.js leave internal parts out.
    const compiler = Module.prototype as unknown as Compiler;
    const { _compile: compile } = compiler;
    // A method, so that stack traces show its name.
    Object.assign(compiler, {
      _compile(this: Module, ...[content, ...more]: Parameters<Compiler['_compile']>): unknown {
        compiler._compile = compile;
        const { exports } = this;
        // A file without the code: Node.js reads its source map and makes its `require`.
        Reflect.apply(compile, this, [`module.exports = require;\n${sourceMapOf(content)}`, ...more]);
        const { exports: require } = this;
        this.exports = exports;
        const given = [exports, require, this, filename, path.dirname(filename)];
        return Reflect.apply(script.runInThisContext(), exports, given);
      },
    });
  }

  /** Returns what no earlier thread compiled, once. Call it after the code ran, because V8 compiles what runs. */
  takeFresh(): CompiledFile | undefined {
    const { fresh } = this;
    this.fresh = undefined;
    if (!fresh) return undefined;
    const compiled = fresh.script.createCachedData();
    const bytes = new Uint8Array(new SharedArrayBuffer(compiled.length));
    bytes.set(compiled);
    return { sha1: fresh.sha1, bytes };
  }

  /** Undefined for what is not CommonJS. */
  private scriptOf(source: string, filename: string): vm.Script | undefined {
    const sha1 = createHash('sha1').update(`${filename}\n${source}`).digest('base64');
    const cachedData = this.known.find(file => file.sha1 === sha1)?.bytes;
    try {
      const script = new vm.Script(`${PREFIX}${source}\n})`, {
        filename,
        columnOffset: -PREFIX.length,
        ...(cachedData && { cachedData }),
      });
      if (!cachedData || script.cachedDataRejected) this.fresh = { sha1, script };
      return script;
    } catch {
      // Node.js's own loader reports what is wrong with it, or loads it as an ECMAScript module.
      return undefined;
    }
  }
}

function sourceMapOf(content: string): string {
  const start = content.lastIndexOf('//# sourceMappingURL=');
  return start < 0 ? '' : content.slice(start);
}
