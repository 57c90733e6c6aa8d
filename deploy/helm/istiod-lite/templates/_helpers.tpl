{{- define "istiod-lite.labels" -}}
app.kubernetes.io/name: istiod-lite
{{- end }}
{{- define "istiod-lite.metadata" -}}
name: istiod-lite
namespace: {{ .Values.systemNamespace }}
labels:
  {{- include "istiod-lite.labels" . | nindent 2 }}
{{- end }}
