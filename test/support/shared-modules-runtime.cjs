const path = require('node:path');
const { default: JestRuntime } = require('jest-runtime');

/** The folders whose modules each suite has for itself. */
const OWN = /^(test|docs\/examples)\//;

/**
 * The runtime by which this worker loads what its suites share. It outlives the suite that was first.
 * @type {JestRuntime | undefined}
 */
let shared;

/** Loads the modules of the product and of packages once for all suites of a worker, and those of tests for each suite. */
class SharedModulesRuntime extends JestRuntime {
  constructor(config, ...others) {
    super(config, ...others);
    this.root = config.rootDir;
    shared ??= new JestRuntime(config, ...others);
    // Jest maps the stack of an error by those of the suite that runs.
    this.transformCache.sourceMaps = shared.transformCache.sourceMaps;
  }

  requireModule(from, moduleName, options, isRequireActual) {
    return this.isShared(from, moduleName, options)
      ? shared.requireModule(from, moduleName, options, isRequireActual)
      : super.requireModule(from, moduleName, options, isRequireActual);
  }

  isShared(from, moduleName, options) {
    if (moduleName === undefined || options?.isInternalModule || this._resolution.isCoreModule(moduleName))
      return false;
    return !OWN.test(path.relative(this.root, this._resolution.resolveCjs(from, moduleName)));
  }
}

exports.default = SharedModulesRuntime;
exports.__esModule = true;
