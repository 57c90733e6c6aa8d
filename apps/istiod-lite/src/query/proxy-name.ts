/** The name of a proxy as everything else has it: `NAMESPACE/NAME` is `NAME.NAMESPACE`. */
export const readProxyName = (text: string): string => {
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? []
  return name === undefined ? text : `${name}.${namespace}`
}
