type Db = typeof import('dynalite/db');
type Validations = typeof import('dynalite/validations');
type Rules = typeof import('dynalite/validations/*');

/** The actions whose requests dynalite knows. */
export type RuledAction =
  | 'batchGetItem'
  | 'batchWriteItem'
  | 'createTable'
  | 'deleteItem'
  | 'getItem'
  | 'putItem'
  | 'query'
  | 'scan'
  | 'updateItem';

interface LoadedRules {
  readonly db: Db;
  readonly validations: Validations;
  readonly actions: Readonly<Record<RuledAction, Rules>>;
}

let loaded: LoadedRules | undefined;

/**
 * The rules of dynalite, which its authors compared with AWS: its grammar of expressions, its checks of requests and its order of
 * keys. All of them are pure functions. Its store is not used: it is asynchronous and has its own clock. They are loaded on first use.
 */
export function loadRules(): LoadedRules {
  loaded ??= {
    db: require('dynalite/db'),
    validations: require('dynalite/validations'),
    actions: {
      batchGetItem: require('dynalite/validations/batchGetItem'),
      batchWriteItem: require('dynalite/validations/batchWriteItem'),
      createTable: require('dynalite/validations/createTable'),
      deleteItem: require('dynalite/validations/deleteItem'),
      getItem: require('dynalite/validations/getItem'),
      putItem: require('dynalite/validations/putItem'),
      query: require('dynalite/validations/query'),
      scan: require('dynalite/validations/scan'),
      updateItem: require('dynalite/validations/updateItem'),
    },
  };
  return loaded;
}
