export { isObject, type JsonObject } from '../../policy/json-members';
export { isTooDeep, jsonOrUndefined, jsonProblem, parseJson } from '../../policy/json-text';
