import vm from 'node:vm';
import NodeEnvironment from 'jest-environment-node';

const { compileFunction } = vm;

/** What this worker has compiled, by file. */
const compiled = new Map<string, { readonly source: string; readonly script: vm.Script }>();

function scriptOf(filename: string, source: string, parameters: readonly string[]): vm.Script {
  const known = compiled.get(filename);
  if (known?.source === source) return known.script;
  const prefix = `(function (${parameters.join(', ')}) {`;
  const script = new vm.Script(`${prefix}${source}\n})`, { filename, columnOffset: -prefix.length });
  compiled.set(filename, { source, script });
  return script;
}

/**
 * Jest loads all modules again for every suite, and compiles them with `compileFunction`, which took a quarter of the time of all
 * tests. A script can run in the context of each suite: a worker compiles a file once.
 */
vm.compileFunction = (source, parameters = [], options = {}) => {
  const { filename, parsingContext } = options;
  const isModule = parameters[0] === 'module' && filename !== undefined && parsingContext !== undefined;
  if (!isModule) return compileFunction(source, parameters, options);
  return scriptOf(filename, source, parameters).runInContext(parsingContext);
};

export default NodeEnvironment;
