package main

import (
	"image/color"
	"math"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	chartWidth  = 20 * vg.Centimeter
	chartHeight = 11 * vg.Centimeter
)

// colours are told apart by people who see few of them too; linerpc has the
// strongest.
var colours = []color.RGBA{
	{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x33, 0x33, 0x33, 0xff}, {0xa0, 0xa0, 0xa0, 0xff}, {0xb8, 0xa9, 0x2e, 0xff}, {0x6a, 0x51, 0xa3, 0xff},
}

// colourOf is the same for a contender in all charts.
var colourOf = func() map[string]color.RGBA {
	of := make(map[string]color.RGBA)
	for i, label := range []string{baseline, "lsp", "jrpc2", "exp", "sourcegraph", "scanner", copier} {
		of[label] = colours[i]
	}
	of["lsp.Conn"], of["lsp.Pipeline"], of["lsp.Single"] = colours[1], colours[4], colours[8]
	return of
}()

// line is one contender in a chart.
type line struct {
	label  string
	points plotter.XYs
}

// lineChart draws lines on logarithmic axes. Points that have no place there
// are left out; it reports false when nothing is left.
func lineChart(path, title, xLabel, yLabel string, xTicks []plot.Tick, lines []line) (bool, error) {
	p := newPlot(title, xLabel, yLabel)
	p.X.Tick.Marker = plot.ConstantTicks(xTicks)
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	p.Add(plotter.NewGrid())
	drawn := false
	for _, l := range lines {
		var points plotter.XYs
		for _, xy := range l.points {
			if xy.Y > 0 && !math.IsInf(xy.Y, 0) {
				points = append(points, xy)
			}
		}
		if len(points) == 0 {
			continue
		}
		curve, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return false, err
		}
		curve.Color, curve.Width = colourOf[l.label], vg.Points(1.2)
		if l.label == baseline {
			curve.Width = vg.Points(2.4)
		}
		marks.Color, marks.Shape, marks.Radius = curve.Color, draw.CircleGlyph{}, vg.Points(2)
		p.Add(curve, marks)
		p.Legend.Add(l.label, curve)
		drawn = true
	}
	if !drawn {
		return false, nil
	}
	p.X.Max += 0.2 * (p.X.Max - p.X.Min) // room for the legend
	return true, p.Save(chartWidth, chartHeight, path)
}

// stackedChart draws one bar for each name, made of parts that stand on each
// other.
func stackedChart(path, title, yLabel string, names []string, parts []line) (bool, error) {
	if len(names) == 0 {
		return false, nil
	}
	p := newPlot(title, "", yLabel)
	var below *plotter.BarChart
	for i, part := range parts {
		values := make(plotter.Values, len(part.points))
		for k, xy := range part.points {
			if xy.Y > 0 {
				values[k] = xy.Y
			}
		}
		bars, err := plotter.NewBarChart(values, 2.2*vg.Centimeter)
		if err != nil {
			return false, err
		}
		bars.Color, bars.LineStyle.Width = colours[i%len(colours)], 0
		if below != nil {
			bars.StackOn(below)
		}
		below = bars
		p.Add(bars)
	}
	for i := len(parts) - 1; i >= 0; i-- { // the legend from top to bottom as the bar
		p.Legend.Add(parts[i].label, swatch{colours[i%len(colours)]})
	}
	p.NominalX(names...)
	p.X.Max += 0.8 // room for the legend
	return true, p.Save(chartWidth, chartHeight, path)
}

// swatch is a coloured field in a legend.
type swatch struct{ c color.Color }

var _ plot.Thumbnailer = swatch{}

func (s swatch) Thumbnail(c *draw.Canvas) {
	c.FillPolygon(s.c, []vg.Point{{X: c.Min.X, Y: c.Min.Y}, {X: c.Min.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Max.Y}, {X: c.Max.X, Y: c.Min.Y}})
}

func newPlot(title, xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.White // pages may be dark
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, xLabel, yLabel
	p.Title.Padding = vg.Points(6)
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	return p
}

func svg(dir, name string) string { return filepath.Join(dir, name+".svg") }
