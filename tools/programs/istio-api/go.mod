// Pins the module whose CustomResourceDefinitions of Istio's kinds our API server gets.
module istiod-lite.local/programs/istio-api

go 1.24.0

require istio.io/api v1.31.0-rc.0.0.20260824154656-b943409680a7
